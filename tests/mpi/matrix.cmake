# Layouts and settings of a job, so that every two values meet in some row; all features in each.
# More virtual hosts than ranks are as many hosts as ranks; a host keeps at least one worker.
set(columns ranks hosts progress distribution put_smp get_smp acc_smp arena position chunk threads)
set(values_of_ranks 1 2 3 5 9)
set(values_of_hosts 1 2 3)
set(values_of_progress 0 1 2)
set(values_of_distribution packed cyclic)
set(values_of_put_smp 0 1)
set(values_of_get_smp 0 1)
set(values_of_acc_smp 0 1)
set(values_of_arena memfd posix)
set(values_of_position smallest largest)
set(values_of_chunk 256k 4k)
set(values_of_threads single threads)
set(rows
  "1 1 0 cyclic 1 0 0 memfd smallest 4k   single"
  "1 2 2 cyclic 0 0 1 memfd largest  256k threads"
  "1 3 1 packed 0 1 1 posix largest  256k threads"
  "2 1 2 cyclic 1 1 1 posix largest  256k threads"
  "2 2 1 packed 0 0 1 memfd smallest 256k single"
  "2 3 0 cyclic 0 1 0 posix largest  4k   single"
  "3 1 0 cyclic 0 1 1 posix smallest 256k threads"
  "3 2 1 packed 0 0 0 posix smallest 4k   threads"
  "3 3 2 packed 1 0 0 memfd largest  256k single"
  "5 1 2 packed 0 0 1 memfd smallest 4k   threads"
  "5 2 1 cyclic 1 1 0 posix largest  256k threads"
  "5 3 0 packed 1 0 1 posix smallest 256k single"
  "9 1 1 cyclic 1 0 0 posix largest  256k single"
  "9 2 0 packed 1 1 1 memfd smallest 4k   threads"
  "9 3 2 packed 0 1 1 posix largest  4k   threads")

# Who edits the rows and loses a pair learns it here.
function(check_pairs)
  list(LENGTH columns count)
  math(EXPR last "${count} - 1")
  foreach(one RANGE ${last})
    foreach(two RANGE ${last})
      if(two GREATER one)
        list(GET columns ${one} first)
        list(GET columns ${two} second)
        math(EXPR between "${two} - ${one} - 1")
        string(REPEAT "[^ ]+ +" ${one} before)
        string(REPEAT "[^ ]+ +" ${between} middle)
        foreach(a ${values_of_${first}})
          foreach(b ${values_of_${second}})
            if(NOT "${rows};" MATCHES "(^|;)${before}${a} +${middle}${b}[ ;]")
              message(FATAL_ERROR "tests/mpi/matrix.cmake: no row has ${first} ${a} with ${second} ${b}")
            endif()
          endforeach()
        endforeach()
      endif()
    endforeach()
  endforeach()
endfunction()
check_pairs()

# add_layout(ROW PREFIX LABELS "program args" ...)
function(add_layout row prefix labels)
  string(REGEX REPLACE " +" ";" cells "${row}")
  foreach(column ${columns})
    list(POP_FRONT cells ${column})
  endforeach()
  string(TOUPPER ${distribution} DISTRIBUTION)
  set(reserve 256m)
  if(chunk STREQUAL 4k)
    set(reserve 0)  # staged bodies travel in the least pieces
  endif()
  string(REGEX REPLACE " +" "_" name "${row}")
  foreach(line ${ARGN})
    string(REPLACE " " ";" words "${line}")
    list(POP_FRONT words program)
    if(threads STREQUAL threads AND NOT program STREQUAL differential)
      list(APPEND words threads)
    endif()
    comex_add_mpi_test(NAME ${prefix}.${program}.${name} PROGRAM mpi_${program} RANKS ${ranks} ARGS ${words}
      LABELS ${labels} ENV COMEX_VIRTUAL_HOSTS=${hosts} GA_NUM_PROGRESS_RANKS_PER_NODE=${progress}
        GA_PROGRESS_RANKS_DISTRIBUTION_${DISTRIBUTION}=1 COMEX_ENABLE_PUT_SMP=${put_smp}
        COMEX_ENABLE_GET_SMP=${get_smp} COMEX_ENABLE_ACC_SMP=${acc_smp} COMEX_ARENA=${arena}
        COMEX_PROGRESS_RANK_POSITION=${position} COMEX_CHUNK_BYTES=${chunk}
        COMEX_STAGING_RESERVE=${reserve})
  endforeach()
endfunction()

foreach(row ${rows})
  add_layout("${row}" matrix "" "smoke" "differential 150")
  if(NOT row MATCHES "^[19] ")  # these make messages of their own between calls: served by threads
    string(REPLACE "single" "threads" row "${row}")
    add_layout("${row}" matrix_long long "order" "atomics" "mutexes" "groups" "handles 5000" "differential 2000")
  endif()
endforeach()

# Without a word of what is known of this MPI.
foreach(program smoke differential)
  comex_add_mpi_test(NAME matrix.${program}.knowing_the_standard_only PROGRAM mpi_${program} RANKS 5
    ENV COMEX_MPI_KNOWLEDGE=none COMEX_VIRTUAL_HOSTS=2)
endforeach()

# And thirty more at random, the same ones every time.
foreach(number RANGE 1 30)
  set(row "")
  foreach(column ${columns})
    list(LENGTH values_of_${column} count)
    math(EXPR seed "${number} * 100 + 7")
    string(LENGTH "${row}" place)
    math(EXPR seed "${seed} + ${place}")
    string(RANDOM LENGTH 3 ALPHABET 0123456789 RANDOM_SEED ${seed} drawn)
    string(REGEX REPLACE "^0+(.)" "\\1" drawn "${drawn}")
    math(EXPR at "${drawn} % ${count}")
    list(GET values_of_${column} ${at} value)
    string(APPEND row "${value} ")
  endforeach()
  string(STRIP "${row}" row)
  if(NOT row IN_LIST seen_rows)
    list(APPEND seen_rows "${row}")
    add_layout("${row}" matrix_random long "smoke" "differential 1000")
  endif()
endforeach()
