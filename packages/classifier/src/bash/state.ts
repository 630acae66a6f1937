/** What is known of a variable that the text itself has set. Names it has not set are the environment's. */
export type VariableValue =
  /** One of these texts, exactly. */
  | { readonly kind: 'known'; readonly texts: readonly string[] }
  /** Some whole number. */
  | { readonly kind: 'number' }
  /** Some text that begins with one of `prefixes`; `anchored`: it is surely no option. `trouble`: why it may not be shown. */
  | {
      readonly kind: 'data';
      readonly prefixes: readonly string[];
      readonly anchored: boolean;
      /** As a path it may lead anywhere, whatever it begins with. */
      readonly climbs?: boolean;
      readonly trouble?: string;
    };

/** Where the shell may stand and what its variables may hold at one point of the text. */
export interface ShellState {
  /** Every folder that may be the working directory, absolute; `undefined`: it could be any. */
  readonly folders: readonly string[] | undefined;
  readonly variables: ReadonlyMap<string, VariableValue>;
}

export const someData: VariableValue & { readonly kind: 'data' } = {
  kind: 'data',
  prefixes: [''],
  anchored: false,
};

/** The same where not even the place it comes from is known: as a path it may lead anywhere. */
export const anyData: VariableValue = { ...someData, climbs: true };

export function withVariable(state: ShellState, name: string, value: VariableValue): ShellState {
  return { ...state, variables: new Map(state.variables).set(name, value) };
}

/** After code that cannot be followed: any folder, and every variable may have changed. */
export function forgotten(state: ShellState): ShellState {
  const variables = new Map([...state.variables.keys()].map((name) => [name, anyData] as const));
  return { folders: undefined, variables };
}

/** True for a value that surely is a number, which arithmetic may use without evaluating more. */
export const isNumeric = (value: VariableValue): boolean =>
  value.kind === 'number' ||
  (value.kind === 'known' && value.texts.every((text) => /^(?:0|[1-9]\d*)$/.test(text)));

const mostFolders = 8;
const mostTexts = 64;

/** The state after one of two ways was taken. */
export function joinStates(one: ShellState, two: ShellState): ShellState {
  if (one === two) return one;
  const folders =
    one.folders && two.folders ? [...new Set([...one.folders, ...two.folders])] : undefined;
  const variables = new Map<string, VariableValue>();
  for (const name of new Set([...one.variables.keys(), ...two.variables.keys()]))
    variables.set(name, joinValues(one.variables.get(name), two.variables.get(name)));
  return { folders: folders && folders.length <= mostFolders ? folders : undefined, variables };
}

function joinValues(one: VariableValue | undefined, two: VariableValue | undefined): VariableValue {
  if (one === two && one) return one;
  const trouble = [one, two]
    .map((value) => (value?.kind === 'data' ? value.trouble : undefined))
    .find((text) => text !== undefined);
  if (trouble !== undefined) return { ...someData, trouble };
  if (
    one &&
    two &&
    isNumeric(one) &&
    isNumeric(two) &&
    (one.kind === 'number' || two.kind === 'number')
  )
    return { kind: 'number' };
  if (one?.kind !== 'known' || two?.kind !== 'known')
    return [one, two].some((value) => value?.kind === 'data' && value.climbs) ||
      [one, two].some((value) => value?.kind === 'known')
      ? { ...someData, climbs: true }
      : someData;
  const texts = [...new Set([...one.texts, ...two.texts])];
  return texts.length <= mostTexts ? { kind: 'known', texts } : someData;
}
