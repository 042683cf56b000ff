#!/bin/bash
# comexrun from outside, with an mpirun that says what it was given and stays until it is told to end.
program="$1 --mpirun mpirun"
failures=0
place=$(mktemp -d) || exit 1
trap 'rm -r "$place"' EXIT
mkdir "$place/bin" "$place/locks"
cat >"$place/bin/mpirun" <<'TEXT'
#!/bin/sh
[ "$1" != --version ] || { echo "${LAUNCHER:-mpirun (Open MPI) 4}"; exit; }
echo "${COMEX_MANAGER:-none}${GA_NUM_PROGRESS_RANKS_PER_NODE:+, $GA_NUM_PROGRESS_RANKS_PER_NODE progress ranks}: $*"
[ -z "$FIFO" ] || read -r _ <"$FIFO"
exit "${STATUS:-0}"
TEXT
chmod +x "$place/bin/mpirun"
export PATH=$place/bin:$PATH COMEXRUN_DIR=$place/locks
unset COMEX_MANAGER FIFO STATUS GA_NUM_PROGRESS_RANKS_PER_NODE COMEX_VIRTUAL_HOSTS SLURM_JOB_NODELIST PBS_NODEFILE

is() {  # is WANTED FOUND WHAT
  [ "$1" = "$2" ] && return
  printf 'WRONG: %s is "%s", must be "%s"\n' "$3" "$2" "$1"
  failures=$((failures + 1))
}

is "1: -x COMEX_MANAGER --host h:3 -np 3 a 'b  c'" "$($program -n 2 --host h:3 a "'b  c'")" "what mpirun is given"
is "77: -x COMEX_MANAGER --host h:2 -np 2 a" "$(COMEX_MANAGER=77 $program -n 1 --host h:2 a)" "a number that is set"
is "none: --host h:2 -np 2 -x COMEX_MANAGER=5 a" "$($program -n 1 --host h:2 -x COMEX_MANAGER=5 a)" "a number that mpirun is given"
is "1: -hosts h:3 -n 3 a" "$(LAUNCHER='HYDRA build details:' $program -n 2 --host h:3 a)" "what hydra is given"
is "none: -hosts h:2 -n 2 -genv COMEX_MANAGER 5 a" \
  "$(LAUNCHER=HYDRA $program -n 1 -hosts h:2 -genv COMEX_MANAGER 5 a)" "a number that hydra is given"
is "none: -hosts h:2 -n 2 -genv COMEX_MANAGER=5 a" \
  "$(LAUNCHER=HYDRA $program -n 1 -hosts h:2 -genv COMEX_MANAGER=5 a)" "a number that hydra is given in one word"
is "1, 2 progress ranks: -x GA_NUM_PROGRESS_RANKS_PER_NODE -x COMEX_MANAGER --host h:4,i:4 -np 8 a" \
  "$($program -n 4 --progress-ranks 2 --host h,i a)" "two progress ranks on each of two hosts"
is "1, 0 progress ranks: -x GA_NUM_PROGRESS_RANKS_PER_NODE -x COMEX_MANAGER --host h:2 -np 2 a" \
  "$(GA_NUM_PROGRESS_RANKS_PER_NODE=0 $program -n 2 --host h a)" "no progress ranks, by the environment"
printf 'n1\nn1\nn2\nn2\n' >"$place/nodes"
is "1: -x COMEX_MANAGER --host n1:2,n2:2 -np 4 a" "$(PBS_NODEFILE=$place/nodes $program -n 2 a)" "the hosts of a PBS job"
said=$($program -n 2 --virtual-hosts 2 --cyclic --bind --dry-run --host h a)
is "GA_PROGRESS_RANKS_DISTRIBUTION_CYCLIC=1" "$(tr ' ' '\n' <<<"$said" | grep -x 'GA_PROGRESS.*CYCLIC=1')" "a dry run's settings"
is "-np 4 a" "$(grep -o -e '-np 4 a' <<<"$said")" "a dry run's command"
is "4 MPI ranks on 2 hosts: 2 workers" "$(grep -o '4 MPI ranks on 2 hosts: 2 workers' <<<"$said")" "a dry run's picture"
STATUS=7 $program -n 1 a >/dev/null
is 7 $? "the status of mpirun"

refuses() {  # refuses WANTED COMMAND...: with one line, that holds what is wanted, and status 2
  local wanted=$1 answer status
  shift
  answer=$("$@" 2>&1)
  status=$?
  is "2, 1 line" "$status, $(wc -l <<<"$answer") line" "the status and the lines of ${*:0:200}"
  case $answer in "comexrun: "*"$wanted"*) ;; *) is "$wanted" "${answer:0:200}" "a refusal" ;; esac
}
for number in 1025 2000 12345678901234567890 $'\u0662' "$(printf '9%.0s' {1..5000})" x; do
  refuses "from 0 to 1024" $program -n 2 --progress-ranks "$number" a
  refuses "from 0 to 1024" env GA_NUM_PROGRESS_RANKS_PER_NODE="$number" $program -n 2 a
done

# What is printed to nobody, and to a full disk.
mkfifo "$place/nobody"
exec {reader}<>"$place/nobody" {nobody}>"$place/nobody" {reader}<&-
is "" "$("$1" --help 2>&1 >&"$nobody")" "the answer to --help for nobody"
is "" "$($program -n 2 --dry-run a 2>&1 >&"$nobody")" "the answer to a dry run for nobody"
for line in "$1 --help" "$1 --version" "$program -n 2 --dry-run a"; do
  answer=$($line 2>&1 >/dev/full)
  is "1, comexrun: No space left on device" "$?, $answer" "the answer of $line to a full disk"
done
case $("$1" --version) in "comex "[0-9]*.*) ;; *) is "comex NUMBER" "$("$1" --version)" "the version" ;; esac
is "$("$1" --version)" "$(PYTHONSAFEPATH=1 "$1" --version)" "the version by a Python that looks in no script's folder"

# Two that run at once, a third one beside them, and one that comes when the first has ended.
mkfifo "$place/first" "$place/second"
FIFO=$place/first $program -n 1 --host h a >"$place/out1" &
first=$!
until [ -s "$place/out1" ]; do sleep 0.01; done
FIFO=$place/second $program -n 1 --host h b >"$place/out2" &
second=$!
until [ -s "$place/out2" ]; do sleep 0.01; done
is "1: -x COMEX_MANAGER --host h:2 -np 2 a" "$(cat "$place/out1")" "the first launch"
is "2: -x COMEX_MANAGER --host h:2 -np 2 b" "$(cat "$place/out2")" "a launch beside it"
is "3: -x COMEX_MANAGER --host h:2 -np 2 c" "$($program -n 1 --host h c)" "a launch beside both"
kill -KILL "$first"
wait "$first" 2>/dev/null
is "1: -x COMEX_MANAGER --host h:2 -np 2 d" "$($program -n 1 --host h d)" "a launch after one was killed"
echo >"$place/second"
wait "$second"
is 0 $? "the end of the second launch"

# Behind the rank of a job that goes on: a program's own status is handed on, and of a death by a signal there is none.
outlives() {  # outlives COMMAND: the status of a rank that runs it
  # shellcheck disable=SC2016
  sh -c '"$0" sh -c "$1"; echo $?' "$(dirname "$0")/../outlive" "$1" 2>/dev/null
}
for status in 0 3 128 193 255; do is "$status" "$(outlives "exit $status")" "the status of exit $status"; done
for signal in 9 15 64; do is 0 "$(outlives "kill -$signal \$\$")" "the status where signal $signal has killed the rank"; done

answer=$(${program%% *} 2>&1)
is 2 $? "the status without arguments"
case $answer in Usage:*) ;; *) is "a usage" "$answer" "the answer without arguments" ;; esac
answer=$(COMEXRUN_DIR=$place/none $program -n 1 --host h a 2>&1)
is 2 $? "the status without a folder"
is "comexrun: COMEXRUN_DIR=$place/none is not a folder that can be written to" "$answer" "the answer without a folder"
# All numbers are taken by this shell.
for ((number = 1; number <= 255; ++number)); do
  exec {lock}>"$place/locks/manager-$number"
  flock "$lock"
done
answer=$($program -n 1 --host h a 2>&1)
is 2 $? "the status where all numbers are taken"
case $answer in "comexrun: all numbers"*) ;; *) is "all numbers are taken" "$answer" "the answer where they are" ;; esac
[ "$failures" -eq 0 ]
