#!/usr/bin/env bash
# Turns every publish into a dry run.
payload=$(cat)
case $payload in
  *'"command":"node scripts/publish.js"'*)
    printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"only a dry run","updatedInput":{"command":"node scripts/publish.js --dry-run"}}}'
    ;;
esac
