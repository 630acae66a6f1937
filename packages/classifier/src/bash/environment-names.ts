// Names that a shell, its loader or a common program reads, whether or not they are set here.
const read = [
  /^(?:PATH|CDPATH|IFS|ENV|HOME|PWD|OLDPWD|SHELL|SHELLOPTS|USER|LOGNAME|MAIL\w*|PS[0-4]|PROMPT_\w+)$/,
  /^(?:FIGNORE|GLOBIGNORE|GLOBSORT|INPUTRC|OPT(?:IND|ARG|ERR)|FUNCNEST|FCEDIT|FIGNORE|TIMEFORMAT|TMOUT|REPLY|EXECIGNORE|HOSTFILE)$/,
  /^(?:BASH\w*|HIST\w*|COMP_\w*|LD_\w*|DYLD_\w*|GCONV_PATH|LOCPATH|NLSPATH|LC_\w+|LANG\w*|TZ\w*|TERM\w*|MALLOC_\w*|GLIBC_\w*)$/,
  /^(?:GIT_\w*|SSH_\w*|GPG_\w*|GNUPG\w*|XDG_\w*|DBUS_\w*|SUDO_\w*|NODE\w*|NPM_\w*|npm_\w*|PYTHON\w*|PERL\w*|RUBY\w*|JAVA\w*|GO\w*|CARGO\w*|RUST\w*|DOCKER_\w*|AWS_\w*)$/,
  /^(?:\w*_OPTIONS|\w*OPTS?|\w*PAGER|\w*FLAGS|LESS\w*|MORE|MAN\w*|EDITOR|VISUAL|BROWSER|GREP_\w*|RIPGREP_\w*|JQ_\w*|TAR_\w*|TMPDIR|TMP|TEMP|POSIX\w*|MAGIC|COLUMNS|LINES|LS_\w*|TREE_\w*|AWK\w*|GAWK\w*|QUOTING_STYLE|TIME_STYLE|BLOCK_SIZE|BLOCKSIZE|DU_BLOCK_SIZE|DF_BLOCK_SIZE|SIMPLE_BACKUP_SUFFIX|VERSION_CONTROL|CLICOLOR\w*|NO_COLOR|FORCE_COLOR|CI)$/,
  /^(?:\w+_proxy|\w+_PROXY|DISPLAY|WAYLAND_\w*)$/,
];

/**
 * Whether a name may be exported, so that setting it changes what later programs do.
 *
 * @param names  What the environment holds.
 */
export function isEnvironmentName(name: string, names: ReadonlySet<string>): boolean {
  return names.has(name) || read.some((pattern) => pattern.test(name));
}
