/** A small serialisable picture, drawn alike by a terminal, a browser and plain text. */
export type View =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly tone?: 'plain' | 'muted' | 'good' | 'bad';
    }
  | { readonly type: 'code'; readonly text: string; readonly language?: string }
  | { readonly type: 'diff'; readonly patch: string }
  | {
      readonly type: 'table';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly type: 'list'; readonly items: readonly View[] };

/** A line of text as a view. */
export const textView = (text: string): View => ({ type: 'text', text });
