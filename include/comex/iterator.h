/*
 * iterator.h: walks the contiguous segments of a strided patch, the first level fastest. Local, needs no
 * init, and makes no progress.
 */
#ifndef COMEX_ITERATOR_H_
#define COMEX_ITERATOR_H_

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define COMEX_ITERATOR_MAX_LEVEL 8

typedef struct {
  char* base_ptr;
  int stride_levels;
  int strides[COMEX_ITERATOR_MAX_LEVEL];
  int counts[COMEX_ITERATOR_MAX_LEVEL + 1]; /* counts[0]: bytes of a segment */
  int size;                                 /* segments in all */
  int pos;                                  /* of the current one */
} stride_info_t;

void armci_stride_info_init(stride_info_t* info, void* base, int stride_levels, const int* strides,
                            const int* counts);
void armci_stride_info_destroy(stride_info_t* info);
int armci_stride_info_count(stride_info_t* info);     /* segments in all */
int armci_stride_info_size(stride_info_t* info);      /* the same */
int armci_stride_info_pos(stride_info_t* info);       /* the number of the current segment, from 0 */
void armci_stride_info_next(stride_info_t* info);     /* to the next segment */
int armci_stride_info_has_more(stride_info_t* info);  /* whether the current segment exists */
char* armci_stride_info_seg_ptr(stride_info_t* info); /* the current segment */
int armci_stride_info_seg_size(stride_info_t* info);  /* its bytes */
int armci_stride_info_seg_off(stride_info_t* info);   /* where it begins, from base */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
