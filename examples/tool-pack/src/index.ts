import { addNote } from './add-note.ts';
import { countWords } from './count-words.ts';

export { addNote, countWords };

/** The pack, to be handed to `createToolgate({ tools })`: only then is it trusted. */
export const textTools = [countWords, addNote];
