#include "pr/service_report.h"

#include <gtest/gtest.h>

#include "support/memory_os.h"

namespace comex::pr {
namespace {

ServiceTotals busy_for(unsigned percent, std::uint32_t progress_ranks = 1, std::uint32_t ranks = 32) {
  ServiceTotals service;
  service.busy_ns = percent * 1000;
  service.total_ns = 100'000;
  service.progress_ranks = progress_ranks;
  service.ranks = ranks;
  return service;
}

TEST(ServiceReport, suggests_as_many_progress_ranks_as_are_busy_for_half_of_the_time) {
  EXPECT_EQ(suggested_progress_ranks(busy_for(0)), 1u);
  EXPECT_EQ(suggested_progress_ranks(busy_for(50)), 1u);
  EXPECT_EQ(suggested_progress_ranks(busy_for(51)), 2u);
  EXPECT_EQ(suggested_progress_ranks(busy_for(100)), 2u);
  EXPECT_EQ(suggested_progress_ranks(busy_for(60, 4)), 5u);
  EXPECT_EQ(suggested_progress_ranks(busy_for(10, 4)), 1u) << "fewer would do";
}

TEST(ServiceReport, suggests_no_more_than_half_of_a_hosts_ranks) {
  EXPECT_EQ(suggested_progress_ranks(busy_for(100, 4, 8)), 4u);
  EXPECT_EQ(suggested_progress_ranks(busy_for(100, 1, 2)), 1u);
}

TEST(ServiceReport, tells_of_service_and_queue_in_one_line) {
  ServiceTotals service = busy_for(75);
  service.total_ns = 2'000'000'000;
  service.busy_ns = 1'500'000'000;
  service.counters.requests = 1000;
  service.counters.credited = 800;
  service.counters.queued_met = 1200;
  service.counters.queued_peak = 9;
  service.counters.queue_bound = 17;
  EXPECT_EQ(
      service_text(service),
      "served 1000 requests in 2.0 s, busy for 75.0 % of it, 1500.0 us each; queue depth 1.5 on average, "
      "at most 9 of 17; this load suggests 2 progress ranks on its host, which has 1");
}

TEST(ServiceReport, tells_how_many_small_operations_shared_a_message) {
  ServiceTotals service = busy_for(10);
  EXPECT_EQ(service_text(service).find("small operations"), std::string::npos) << "there were none";
  service.counters.batch_items = 320;
  service.counters.batches = 2;
  const std::string text = service_text(service);
  EXPECT_NE(text.find("; 320 small operations came in 2 messages; "), std::string::npos) << text;
}

TEST(ServiceReport, tells_what_was_sent_for_workers_and_how_late) {
  ServiceTotals service = busy_for(10);
  EXPECT_EQ(service_text(service).find("batches"), std::string::npos) << "there were none";
  service.pushed.allowed_ns = 50'000;
  for (const std::uint64_t waited : {40'000u, 50'000u, 60'600u}) service.pushed.count(waited);
  const std::string text = service_text(service);
  EXPECT_NE(text.find("; batches sent for computing workers: 3, after 50.2 us on average, 60.6 us at most, 1 "
                      "later than 50.0 us; this load"),
            std::string::npos)
      << text;
}

TEST(ServiceReport, tells_of_a_service_that_nobody_asked_for) {
  const std::string text = service_text(ServiceTotals{});
  EXPECT_NE(text.find("served 0 requests in 0.0 s, busy for 0.0 % of it, 0.0 us each"), std::string::npos)
      << text;
  EXPECT_NE(text.find("suggests 1 progress rank on"), std::string::npos) << text;
}

TEST(ServiceMeter, adds_up_the_rounds_that_worked) {
  shm::MemoryOs os;
  ServiceMeter meter(os, true);
  meter.begin_round();
  os.sleep_ns(1'000'000);
  meter.end_round(false);
  EXPECT_EQ(meter.busy_ns(), 0u);
  meter.begin_round();
  os.sleep_ns(1'000'000);
  meter.end_round(true);
  EXPECT_GE(meter.busy_ns(), 1'000'000u);
  EXPECT_GE(meter.total_ns(), meter.busy_ns() + 1'000'000u);
}

TEST(ServiceMeter, times_one_round_in_sixteen_and_counts_it_sixteenfold) {
  shm::MemoryOs os;
  ServiceMeter meter(os, false);
  const auto work = [&] {
    meter.begin_round();
    os.sleep_ns(1'000'000);
    meter.end_round(true);
  };
  work();
  const std::uint64_t after_one = meter.busy_ns();
  EXPECT_GE(after_one, 16'000'000u);
  for (int round = 2; round <= 16; ++round) work();
  EXPECT_EQ(meter.busy_ns(), after_one);
  work();
  EXPECT_GE(meter.busy_ns(), after_one + 16'000'000u);
}

}  // namespace
}  // namespace comex::pr
