#!/bin/sh
# `toolgate` from source. tools/dev.mjs copies this file to node_modules/.bin/toolgate.
self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(cd -P "$(dirname "$self")/../.." && pwd) || exit 2

good() {
  version=$("$1" --version 2>/dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  case $major in
    22) [ "$minor" -ge 19 ] ;;
    24) [ "$minor" -ge 11 ] ;;
    *) [ "$major" -ge 26 ] ;;
  esac
}

node=node
if ! good node; then
  node=$root/.toolchain/node_modules/.bin/node
  [ -x "$node" ] || node "$root/tools/dev.mjs" >&2 </dev/null
  if ! good "$node"; then
    echo 'toolgate: needs Node 22.19+, 24.11+ or 26+; run "node tools/dev.mjs" in the repository' >&2
    exit 2
  fi
fi
# Compiled modules are kept in the clone; the command takes the variable away from what it starts.
TOOLGATE_COMPILE_CACHE=$root/.toolchain/compile-cache exec "$node" --conditions=@toolgate/source --disable-warning=ExperimentalWarning \
  "$root/packages/toolgate/src/bin.ts" "$@"
