const types: Readonly<Record<string, readonly string[]>> = {
  c: ['c', 'h'],
  cpp: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'hxx', 'h'],
  cs: ['cs'],
  css: ['css', 'scss'],
  go: ['go'],
  html: ['html', 'htm'],
  java: ['java'],
  js: ['js', 'jsx', 'mjs', 'cjs', 'vue'],
  json: ['json', 'jsonc'],
  kotlin: ['kt', 'kts'],
  lua: ['lua'],
  md: ['md', 'mdx', 'markdown'],
  php: ['php'],
  py: ['py', 'pyi'],
  ruby: ['rb', 'gemspec'],
  rust: ['rs'],
  sh: ['sh', 'bash', 'zsh'],
  sql: ['sql'],
  swift: ['swift'],
  toml: ['toml'],
  ts: ['ts', 'tsx', 'mts', 'cts'],
  txt: ['txt'],
  xml: ['xml', 'svg'],
  yaml: ['yaml', 'yml'],
};

/** The kinds of files that can be asked for by name. */
export const typeNames: readonly string[] = Object.keys(types);

/** The file-name endings of a kind; undefined when it is not known. */
export const endingsOf = (type: string): readonly string[] | undefined =>
  Object.hasOwn(types, type) ? types[type] : undefined;
