#compdef comexrun comex_top comex_info
# The options are those that the program's own --help names.
_gnu_generic "$@"
