#!/bin/sh
# The manual page of the settings: renders without a complaint and has every setting, each on a line of its own.
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}

"$program" --settings-man > "$work/comex-settings.7" || fail "no page"
grep -q '^\.TH COMEX-SETTINGS 7' "$work/comex-settings.7" || fail "no title"
# Every request is one of man(7) that the page means to use: a stray dot or quote at the start of a line is none.
grep -vE "^([^.']|\.(TH|SH|TP|PP|B|BR|br)( |$)|\.\\\\\")" "$work/comex-settings.7" && fail "lines that troff would take for requests"
# shellcheck disable=SC2016
settings=$(env -i "$program" --settings-markdown | sed -n 's/^| `\([A-Z_]*\)`.*/\1/p')
[ "$(echo "$settings" | wc -w)" -gt 30 ] || fail "few settings"

if command -v groff > /dev/null; then
  groff -man -Tascii -ww -P-cbou "$work/comex-settings.7" > "$work/page" 2> "$work/complaints" || fail "groff"
  [ ! -s "$work/complaints" ] || fail "$(cat "$work/complaints")"
  for name in $settings; do
    grep -qE "^ +$name( |$)" "$work/page" || fail "$name is not on the page"
  done
  grep -q 'comex-settings - environment variables' "$work/page" || fail "no name"
  echo "renders, with all settings"
else
  for name in $settings; do
    grep -q "^\.B $name\$" "$work/comex-settings.7" || fail "$name is not on the page"
  done
  echo "has all settings; groff, which would render it, is not here"
fi
