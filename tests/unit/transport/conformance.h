// What every Transport must do, as one suite that each implementation passes.
//
// A Rig runs a check on every rank and returns when all have finished: on threads, in turns on one
// thread, or as this process's part of an MPI job. Every message and body that a check sends is
// received within it, so that checks can follow each other on one wire.
#pragma once

#include <gtest/gtest.h>

#include "unit/transport/checks.h"

namespace comex::transport::test {

template <class Rig>
class TransportConformance : public testing::Test {
 protected:
  Rig rig_;
};
TYPED_TEST_SUITE_P(TransportConformance);

TYPED_TEST_P(TransportConformance, delivers_the_messages_of_a_pair_in_order) {
  this->rig_.run(messages_in_order);
}
TYPED_TEST_P(TransportConformance, delivers_rows_of_messages_in_order_with_those_between_them) {
  this->rig_.run(messages_in_rows);
}
TYPED_TEST_P(TransportConformance, loses_nothing_of_a_flood_from_every_rank) {
  this->rig_.run(flood);
}
TYPED_TEST_P(TransportConformance, keeps_a_message_intact_until_the_next_is_received) {
  this->rig_.run(message_stays_valid);
}
TYPED_TEST_P(TransportConformance, keeps_a_message_of_a_row_intact_until_the_next_is_received) {
  this->rig_.run(row_stays_valid);
}
TYPED_TEST_P(TransportConformance, tells_the_bell_of_every_message) {
  this->rig_.run(bell_counts);
}
TYPED_TEST_P(TransportConformance, tells_the_bells_of_both_ends_the_same_of_rows) {
  this->rig_.run(bell_counts_of_rows);
}
TYPED_TEST_P(TransportConformance, delivers_messages_and_bodies_to_the_sender_itself) {
  this->rig_.run(to_itself);
}
TYPED_TEST_P(TransportConformance, carries_bodies_of_one_tag_in_both_directions_at_once) {
  this->rig_.run(bodies_both_ways);
}
TYPED_TEST_P(TransportConformance, matches_bodies_of_one_tag_in_posting_order) {
  this->rig_.run(bodies_in_posting_order);
}
TYPED_TEST_P(TransportConformance, keeps_tags_apart_whatever_the_order_of_posting) {
  this->rig_.run(tags_apart);
}
TYPED_TEST_P(TransportConformance, carries_bodies_that_are_posted_behind_their_messages) {
  this->rig_.run(bodies_behind_messages);
}
TYPED_TEST_P(TransportConformance, carries_bodies_without_a_byte) {
  this->rig_.run(empty_bodies);
}
TYPED_TEST_P(TransportConformance, reports_how_much_of_a_receive_was_filled) {
  this->rig_.run(short_bodies);
}
TYPED_TEST_P(TransportConformance, completes_a_matched_send_only_once_it_has_a_receive) {
  this->rig_.run(matched_bodies);
}
TYPED_TEST_P(TransportConformance, keeps_thousands_of_tickets_apart_and_reuses_them) {
  this->rig_.run(many_tickets);
}

REGISTER_TYPED_TEST_SUITE_P(
    TransportConformance, delivers_the_messages_of_a_pair_in_order,
    delivers_rows_of_messages_in_order_with_those_between_them, loses_nothing_of_a_flood_from_every_rank,
    keeps_a_message_intact_until_the_next_is_received,
    keeps_a_message_of_a_row_intact_until_the_next_is_received, tells_the_bell_of_every_message,
    tells_the_bells_of_both_ends_the_same_of_rows, delivers_messages_and_bodies_to_the_sender_itself,
    carries_bodies_of_one_tag_in_both_directions_at_once, matches_bodies_of_one_tag_in_posting_order,
    keeps_tags_apart_whatever_the_order_of_posting, carries_bodies_that_are_posted_behind_their_messages,
    carries_bodies_without_a_byte, reports_how_much_of_a_receive_was_filled,
    completes_a_matched_send_only_once_it_has_a_receive, keeps_thousands_of_tickets_apart_and_reuses_them);

}  // namespace comex::transport::test
