/* Drawn at random, of every type and of 1 to 9 dimensions: patches and vectors, put, accumulated and got,
 * beside the same done to plain memory. Runs of a source may overlap. COMEX_TEST_SEED=N repeats a run. */
#include "check.h"

enum { slab = 1 << 15, rounds = 60, most_levels = 8, most_pairs = 12 };

enum verb { put, acc, get };
struct type {
  int code, bytes, is_real, parts; /* parts: 2 of a complex number */
};
static const struct type types[] = {
    {ARMCI_ACC_INT, sizeof(int), 0, 1},       {ARMCI_ACC_LNG, sizeof(long), 0, 1},
    {ARMCI_ACC_FLT, sizeof(float), 1, 1},     {ARMCI_ACC_DBL, sizeof(double), 1, 1},
    {ARMCI_ACC_CPL, 2 * sizeof(float), 1, 2}, {ARMCI_ACC_DCP, 2 * sizeof(double), 1, 2},
};
struct patch {
  int levels, count[most_levels + 1], src_stride[most_levels], dst_stride[most_levels];
  int src_bytes, dst_bytes;
};

static unsigned seed;
static int draw(int least, int most) {
  seed = seed * 1664525u + 1013904223u;
  return least + (int)((seed >> 8) % (unsigned)(most - least + 1));
}

static double part_of(struct type type, const char* at, int part) {
  const size_t bytes = (size_t)(type.bytes / type.parts);
  int i;
  long l;
  float f;
  double d;
  at += bytes * (size_t)part;
  if (type.is_real && bytes == sizeof d) return memcpy(&d, at, bytes), d;
  if (type.is_real) return memcpy(&f, at, bytes), (double)f;
  if (bytes == sizeof l) return memcpy(&l, at, bytes), (double)l;
  return memcpy(&i, at, bytes), (double)i;
}
static void set_part(struct type type, char* at, int part, double value) {
  const size_t bytes = (size_t)(type.bytes / type.parts);
  const int i = (int)value;
  const long l = (long)value;
  const float f = (float)value;
  at += bytes * (size_t)part;
  if (type.is_real) memcpy(at, bytes == sizeof value ? (const void*)&value : (const void*)&f, bytes);
  if (!type.is_real) memcpy(at, bytes == sizeof l ? (const void*)&l : (const void*)&i, bytes);
}
static void fill(struct type type, char* at, int bytes) {
  for (; bytes >= type.bytes; bytes -= type.bytes, at += type.bytes)
    for (int part = 0; part < type.parts; ++part) set_part(type, at, part, draw(-40, 40));
}

/* What a put, a get or an accumulate does, in plain memory; the numbers are small and exact. */
static void apply(enum verb verb, struct type type, const char* scale, const char* src, char* dst,
                  int bytes) {
  if (verb != acc) memcpy(dst, src, (size_t)bytes);
  for (int at = 0; verb == acc && at < bytes; at += type.bytes) {
    const double a = part_of(type, src + at, 0), x = part_of(type, scale, 0);
    const double b = type.parts == 2 ? part_of(type, src + at, 1) : 0;
    const double y = type.parts == 2 ? part_of(type, scale, 1) : 0;
    set_part(type, dst + at, 0, part_of(type, dst + at, 0) + a * x - b * y);
    if (type.parts == 2) set_part(type, dst + at, 1, part_of(type, dst + at, 1) + a * y + b * x);
  }
}

/* Room between runs, or none; at the source now and then no step at all, and any stride where nothing
 * repeats. */
static struct patch draw_patch(int levels, int width) {
  struct patch patch = {.levels = levels};
  patch.count[0] = draw(1, 5) * width;
  patch.src_bytes = patch.dst_bytes = patch.count[0];
  for (int level = 0; level < levels; ++level) {
    const int count = draw(1, level < 4 ? 3 : 2);
    const int src_step = draw(0, 5) == 0 ? 0 : patch.src_bytes + draw(0, 2) * width;
    const int dst_step = patch.dst_bytes + draw(0, 2) * width;
    patch.count[level + 1] = count;
    patch.src_stride[level] = src_step;
    patch.dst_stride[level] = count == 1 ? draw(-9, 9) : dst_step;
    patch.src_bytes += (count - 1) * src_step;
    patch.dst_bytes += (count - 1) * dst_step;
  }
  return patch;
}
static void apply_patch(enum verb verb, struct type type, const char* scale, const char* src, char* dst,
                        const struct patch* patch) {
  int at[most_levels] = {0}, level = 0;
  while (level < patch->levels || patch->levels == 0) {
    long src_at = 0, dst_at = 0;
    for (int i = 0; i < patch->levels; ++i) {
      src_at += (long)at[i] * patch->src_stride[i];
      dst_at += (long)at[i] * patch->dst_stride[i];
    }
    apply(verb, type, scale, src + src_at, dst + dst_at, patch->count[0]);
    if (patch->levels == 0) return;
    for (level = 0; level < patch->levels && ++at[level] == patch->count[level + 1]; ++level) at[level] = 0;
  }
}

static void start_patch(enum verb verb, struct type type, char* scale, char* src, char* dst, struct patch* p,
                        int to) {
  armci_hdl_t handle;
  const int is_blocking = draw(0, 1);
  ARMCI_INIT_HANDLE(&handle);
  if (verb == put && is_blocking)
    CHECK(ARMCI_PutS(src, p->src_stride, dst, p->dst_stride, p->count, p->levels, to) == 0);
  if (verb == acc && is_blocking)
    CHECK(ARMCI_AccS(type.code, scale, src, p->src_stride, dst, p->dst_stride, p->count, p->levels, to) == 0);
  if (verb == get && is_blocking)
    CHECK(ARMCI_GetS(src, p->src_stride, dst, p->dst_stride, p->count, p->levels, to) == 0);
  if (is_blocking) return;
  if (verb == put)
    CHECK(ARMCI_NbPutS(src, p->src_stride, dst, p->dst_stride, p->count, p->levels, to, &handle) == 0);
  if (verb == acc)
    CHECK(ARMCI_NbAccS(type.code, scale, src, p->src_stride, dst, p->dst_stride, p->count, p->levels, to,
                       &handle) == 0);
  if (verb == get)
    CHECK(ARMCI_NbGetS(src, p->src_stride, dst, p->dst_stride, p->count, p->levels, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
}

/* One to four descriptors, each with runs of its own size. */
static int draw_vector(armci_giov_t* vector, void** src_at, void** dst_at, int width, char* src, char* dst) {
  const int len = draw(1, 4);
  for (int i = 0; i < len; ++i) {
    vector[i].src_ptr_array = src_at + i * most_pairs;
    vector[i].dst_ptr_array = dst_at + i * most_pairs;
    vector[i].ptr_array_len = draw(1, most_pairs);
    vector[i].bytes = draw(1, 6) * width;
    for (int pair = 0; pair < vector[i].ptr_array_len; ++pair) {
      src += draw(0, 2) * width;
      dst += draw(0, 2) * width;
      vector[i].src_ptr_array[pair] = src;
      vector[i].dst_ptr_array[pair] = dst;
      src += vector[i].bytes;
      dst += vector[i].bytes;
    }
  }
  return len;
}
static void start_vector(enum verb verb, struct type type, char* scale, armci_giov_t* vector, int len,
                         int to) {
  armci_hdl_t handle;
  const int is_blocking = draw(0, 1);
  ARMCI_INIT_HANDLE(&handle);
  if (verb == put)
    CHECK((is_blocking ? ARMCI_PutV(vector, len, to) : ARMCI_NbPutV(vector, len, to, &handle)) == 0);
  if (verb == get)
    CHECK((is_blocking ? ARMCI_GetV(vector, len, to) : ARMCI_NbGetV(vector, len, to, &handle)) == 0);
  if (verb == acc)
    CHECK((is_blocking ? ARMCI_AccV(type.code, scale, vector, len, to)
                       : ARMCI_NbAccV(type.code, scale, vector, len, to, &handle)) == 0);
  if (!is_blocking) CHECK(ARMCI_Wait(&handle) == 0);
}

static char near[slab], model[slab], back[slab];

/* One patch and one vector of a verb: what is far, and near after a get, is what plain memory says. */
static void draw_one(enum verb verb, int levels, char* far, int to) {
  const struct type type = types[draw(0, 5)];
  char scale[16];
  void *src_at[4 * most_pairs], *dst_at[4 * most_pairs];
  armci_giov_t vector[4];
  char* const src = verb == get ? far : near;
  char* const dst = verb == get ? near : far;
  fill(type, scale, type.bytes);
  for (int is_vector = 0; is_vector < 2; ++is_vector) {
    struct patch patch;
    int len = 0;
    fill(type, near, slab);
    fill(type, back, slab);
    CHECK(ARMCI_Put(back, far, slab, to) == 0);
    const char* const from = verb == get ? back : near;
    memcpy(model, verb == get ? near : back, slab);
    if (is_vector) {
      len = draw_vector(vector, src_at, dst_at, type.bytes, src, dst);
      start_vector(verb, type, scale, vector, len, to);
    } else {
      do patch = draw_patch(levels, type.bytes);
      while (patch.src_bytes > slab || patch.dst_bytes > slab);
      start_patch(verb, type, scale, src, dst, &patch, to);
      apply_patch(verb, type, scale, from, model, &patch);
    }
    for (int i = 0; i < len; ++i)
      for (int pair = 0; pair < vector[i].ptr_array_len; ++pair)
        apply(verb, type, scale, from + ((char*)vector[i].src_ptr_array[pair] - src),
              model + ((char*)vector[i].dst_ptr_array[pair] - dst), vector[i].bytes);
    if (verb != get) CHECK(ARMCI_Get(far, back, slab, to) == 0);
    CHECK(memcmp(verb == get ? near : back, model, slab) == 0);
  }
}

void test_drawn(void) {
  const char* const given = getenv("COMEX_TEST_SEED");
  void** at = malloc((size_t)nproc * sizeof *at);
  const int before = failures;
  seed = given != NULL ? (unsigned)atoi(given) : 20240517u;
  const unsigned first = seed;
  seed += (unsigned)me * 7919u;
  ARMCI_Malloc(at, (armci_size_t)slab * nproc);
  for (int round = 0; round < rounds; ++round) {
    const int to = draw(0, nproc - 1);
    draw_one((enum verb)(round % 3), round % (most_levels + 1), (char*)at[to] + (long)slab * me, to);
  }
  if (failures != before) fprintf(stderr, "rank %d: drawn with COMEX_TEST_SEED=%u\n", me, first);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(at);
}
