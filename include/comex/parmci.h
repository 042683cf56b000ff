/*
 * parmci.h: the functions behind the ARMCI_ names. Every ARMCI_X is a weak name of PARMCI_X, so a profiler
 * may define its own ARMCI_X and call PARMCI_X. Arguments and results are those of armci.h.
 */
#ifndef COMEX_PARMCI_H_
#define COMEX_PARMCI_H_

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

int PARMCI_Init(void);
int PARMCI_Init_args(int* argc, char*** argv);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Initialized(void);
void PARMCI_Finalize(void);
void PARMCI_Cleanup(void);
void PARMCI_Error(const char* msg, int code);
int PARMCI_Malloc(void** ptr_arr, armci_size_t bytes);
int PARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device);
int PARMCI_Free(void* ptr);
int PARMCI_Free_memdev(void* ptr);
int PARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group);
int PARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device);
int PARMCI_Free_group(void* ptr, ARMCI_Group* group);
void* PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void* ptr);
void PARMCI_Set_shm_limit(unsigned long limit);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group* group);
void PARMCI_Copy(void* src, void* dst, int bytes);
void PARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int flag);
void* PARMCI_Memat(armci_meminfo_t* meminfo, long offset);
void PARMCI_Memdt(armci_meminfo_t* meminfo, long offset);
void PARMCI_Memctl(armci_meminfo_t* meminfo);
void PARMCI_Barrier(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_GroupFence(ARMCI_Group* group);
int PARMCI_Wait(armci_hdl_t* handle);
int PARMCI_Test(armci_hdl_t* handle);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int PARMCI_Put(void* src, void* dst, int bytes, int proc);
int PARMCI_Get(void* src, void* dst, int bytes, int proc);
int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                int proc);
int PARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                int proc);
int PARMCI_AccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                int count[], int stride_levels, int proc);
int PARMCI_NbPutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc, armci_hdl_t* handle);
int PARMCI_NbGetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc, armci_hdl_t* handle);
int PARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                  int count[], int stride_levels, int proc, armci_hdl_t* handle);
int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);
int PARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                     int* flag, int value, int proc);
int PARMCI_PutS_flag_dir(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                         int stride_levels, int* flag, int value, int proc);
int PARMCI_PutV(armci_giov_t* iov, int len, int proc);
int PARMCI_GetV(armci_giov_t* iov, int len, int proc);
int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc);
int PARMCI_NbPutV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int PARMCI_NbGetV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int PARMCI_PutValueInt(int src, void* dst, int proc);
int PARMCI_PutValueLong(long src, void* dst, int proc);
int PARMCI_PutValueFloat(float src, void* dst, int proc);
int PARMCI_PutValueDouble(double src, void* dst, int proc);
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_GetValueInt(void* src, int proc);
long PARMCI_GetValueLong(void* src, int proc);
float PARMCI_GetValueFloat(void* src, int proc);
double PARMCI_GetValueDouble(void* src, int proc);
int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
void PARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out);
void PARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* parent);
void PARMCI_Group_free(ARMCI_Group* group);
int PARMCI_Group_rank(ARMCI_Group* group, int* rank);
void PARMCI_Group_size(ARMCI_Group* group, int* size);
void PARMCI_Group_set_default(ARMCI_Group* group);
void PARMCI_Group_get_default(ARMCI_Group* group_out);
void PARMCI_Group_get_world(ARMCI_Group* group_out);
int PARMCI_Absolute_id(ARMCI_Group* group, int group_rank);
int PARMCI_Same_node(int proc);
int parmci_notify(int proc);
int parmci_notify_wait(int proc, int* value);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group* group);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
