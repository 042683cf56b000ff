// A wait or fence for some does not wait for others. Worker 2 serves nobody until it is told to, which the
// others do only after what must not depend on it. Run without progress ranks and threads, 3 ranks, 3 hosts.
#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr int origin = 0;
constexpr int willing = 1;
constexpr int deaf = 2;

void ask(const Job& job, const Everywhere<long>& words, comex_group_t pair) {
  std::vector<long> landing(4, -1);
  comex_request_t never = 0;
  job.done(comex_nbget(words.of(deaf), &landing[0], sizeof(long), deaf, everyone, &never));
  job.done(comex_nbget(words.of(deaf), &landing[1], sizeof(long), deaf, everyone, nullptr));
  const auto still_pending = [&] {
    int status = -1;
    job.done(comex_test(&never, &status));
    job.equal(status, 1, "the test of a get that nobody serves");
  };

  comex_request_t handle = 0;
  job.done(comex_nbget(words.of(willing), &landing[2], sizeof(long), willing, everyone, &handle));
  job.done(comex_nbget(words.of(willing), &landing[3], sizeof(long), willing, everyone, nullptr));
  job.done(comex_wait_all(pair));
  job.equal(landing[2], 100L + willing, "what wait_all of the pair waited for, by handle");
  job.equal(landing[3], 100L + willing, "what wait_all of the pair waited for");
  still_pending();

  long value = 7;
  landing[2] = -1;
  job.done(comex_nbget(words.of(willing), &landing[2], sizeof(long), willing, everyone, nullptr));
  job.done(comex_wait_proc(willing, everyone));
  job.equal(landing[2], 100L + willing, "what wait_proc waited for");
  job.done(comex_nbput(&value, words.of(deaf) + 2, sizeof value, deaf, everyone, nullptr));
  job.done(comex_put(&value, words.of(willing) + 2, sizeof value, willing, everyone));
  job.done(comex_fence_proc(willing, everyone));
  job.done(comex_put(&value, words.of(willing) + 2, sizeof value, willing, everyone));
  job.done(comex_fence_all(pair));
  still_pending();

  job.send_word(deaf);
  job.done(comex_wait(&never));
  job.done(comex_wait_all(everyone));
  job.equal(landing[0], 100L + deaf, "what came in the end, by handle");
  job.equal(landing[1], 100L + deaf, "what came in the end");
  job.done(comex_put_signal(nullptr, nullptr, 0, words.of(willing) + 1, 1, willing, everyone));
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "selective");
  job.equal(job.workers, 3, "the number of workers");
  {
    Everywhere<long> words(job, 8);
    words.mine()[0] = 100 + job.me;
    int members[] = {origin, willing};
    comex_group_t pair = COMEX_GROUP_NULL;
    job.done(comex_group_create(2, members, everyone, &pair));
    job.check("a wait or fence for some does not wait for others", [&] {
      if (job.me == origin) {
        job.await_word(deaf);  // from now on it is
        ask(job, words, pair);
      }
      if (job.me == willing) job.done(comex_wait_until(words.mine() + 1, COMEX_CMP_EQ, 1));
      if (job.me == deaf) {
        job.send_word(origin);
        job.await_word(origin);
      }
    });
    if (job.me == deaf) job.equal(words.mine()[2], 7L, "what the deaf one was sent");
  }
}
