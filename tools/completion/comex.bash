# Completion for comexrun, comex_top and comex_info in bash. The options are those that the program's own --help names.
_comex() {
  local program=$1 current=$2 at=1 word
  COMPREPLY=()
  # Behind the program that comexrun starts, the words are that program's. The others start none.
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word=${COMP_WORDS[at]}
    case $word in
      : | =) at=$((at + 2)) ;;  # bash cuts words there: what follows is of the word before
      -n | -np | --progress-ranks | --virtual-hosts | --host | --hostfile | --mpirun) at=$((at + 2)) ;;
      # Those of the launchers that are given most often.
      -x | -H | -hosts | -f | --bind-to | --map-by | --rank-by | --wdir | -wdir | -ppn | -bind-to | -map-by | --timeout | \
        --output-filename | --rankfile | -rf | -N | --tune | -genvlist | -envlist | -launcher | -iface | -rmk) at=$((at + 2)) ;;
      --mca | -mca | -env | -genv) at=$((at + 3)) ;;
      -*) at=$((at + 1)) ;;
      *)
        [ "${program##*/}" != comexrun ] || return
        at=$((at + 1))
        ;;
    esac
  done
  if [ "$at" -gt "$COMP_CWORD" ]; then
    case ${COMP_WORDS[COMP_CWORD - 1]} in
      --mpirun) mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u) ;;
      --host) mapfile -t COMPREPLY < <(compgen -A hostname -- "$current") ;;
    esac
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2> /dev/null |
      sed -n 's/^ *\(-[^ ,]*\(, *-[^ ,]*\)*\).*/\1/p' | tr ',' ' ')" -- "$current")
  elif [ "${program##*/}" = comexrun ]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u)
  fi
}
complete -o bashdefault -o default -F _comex comexrun comex_top comex_info
