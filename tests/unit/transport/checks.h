// The checks of the conformance suite: what each rank does, over any Transport.
//
// Only EXPECT_* inside: a check goes to its end, so that no rank leaves others waiting.
#pragma once

#include "transport/transport.h"
#include "unit/transport/rank_task.h"

namespace comex::transport::test {

using Check = RankTask (*)(Transport& wire);

RankTask messages_in_order(Transport& wire);
RankTask messages_in_rows(Transport& wire);
RankTask flood(Transport& wire);
RankTask message_stays_valid(Transport& wire);
RankTask row_stays_valid(Transport& wire);
RankTask bell_counts(Transport& wire);
RankTask bell_counts_of_rows(Transport& wire);
RankTask to_itself(Transport& wire);

RankTask bodies_both_ways(Transport& wire);
RankTask bodies_in_posting_order(Transport& wire);
RankTask tags_apart(Transport& wire);
RankTask bodies_behind_messages(Transport& wire);
RankTask empty_bodies(Transport& wire);
RankTask short_bodies(Transport& wire);
RankTask matched_bodies(Transport& wire);
RankTask many_tickets(Transport& wire);

}  // namespace comex::transport::test
