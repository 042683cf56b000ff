#include "groups/joining_parts.h"

namespace comex::groups::joining {
namespace {

Failure malformed() {
  return environment_error("what the other side sent is malformed: do both run the same library?");
}

template <class T>
std::span<const T> all_of(const std::vector<T>& values) {
  return values;
}

void put(Packer& packer, const WorldDescription& world) {
  packer.value(WorldName{world.id, world.size, world.launch, world.nonce});
  packer.array(world.rows ? all_of(*world.rows) : std::span<const ConnectionData>());
  packer.value(std::uint64_t{world.hosts ? world.hosts->size() : 0});
  if (!world.hosts) return;
  for (const std::string& host : *world.hosts) packer.text(host);
}

WorldDescription get_world(Unpacker& unpacker) {
  WorldDescription world;
  const auto name = unpacker.value<WorldName>();
  world.id = name.id;
  world.size = name.size;
  world.launch = name.launch;
  world.nonce = name.nonce;
  auto rows = unpacker.array<ConnectionData>();
  if (!rows.empty()) world.rows = std::make_shared<const std::vector<ConnectionData>>(std::move(rows));
  const auto host_count = unpacker.value<std::uint64_t>();
  std::vector<std::string> hosts;
  for (std::uint64_t i = 0; i < host_count && unpacker.ok(); ++i) hosts.push_back(unpacker.text());
  if (!hosts.empty()) world.hosts = std::make_shared<const std::vector<std::string>>(std::move(hosts));
  return world;
}

}  // namespace

Bytes Offer::pack() const {
  Packer packer;
  packer.array(all_of(members)).array(all_of(table)).array(all_of(worlds));
  return packer.value(context).value(has_hook).take();
}

Result<Offer> Offer::unpack(const Bytes& bytes) {
  Unpacker unpacker(bytes);
  Offer offer;
  offer.members = unpacker.array<Gpid>();
  offer.table = unpacker.array<Gpid>();
  offer.worlds = unpacker.array<WorldName>();
  offer.context = unpacker.value<std::uint64_t>();
  offer.has_hook = unpacker.value<bool>();
  if (!unpacker.is_done() || offer.members.empty()) return malformed();
  return offer;
}

Bytes Head::pack() const {
  Packer packer;
  packer.array(all_of(remote)).array(all_of(remote_table)).array(all_of(errands));
  return packer.value(context).value(is_low).value(has_cards).value(has_parcels).take();
}

Result<Head> Head::unpack(const Bytes& bytes) {
  Unpacker unpacker(bytes);
  Head head;
  head.remote = unpacker.array<Gpid>();
  head.remote_table = unpacker.array<Gpid>();
  head.errands = unpacker.array<Errand>();
  head.context = unpacker.value<std::uint64_t>();
  head.is_low = unpacker.value<bool>();
  head.has_cards = unpacker.value<bool>();
  head.has_parcels = unpacker.value<bool>();
  if (!unpacker.is_done()) return malformed();
  return head;
}

Bytes pack(std::span<const Parcel> parcels) {
  Packer packer;
  packer.value(std::uint64_t{parcels.size()});
  for (const Parcel& parcel : parcels) {
    put(packer, parcel.world);
    packer.value(std::uint64_t{parcel.cards.size()});
    for (const Bytes& card : parcel.cards) packer.array(all_of(card));
  }
  return packer.take();
}

Result<std::vector<Parcel>> unpack_parcels(const Bytes& bytes) {
  Unpacker unpacker(bytes);
  std::vector<Parcel> parcels;
  const auto count = unpacker.value<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && unpacker.ok(); ++i) {
    Parcel parcel{get_world(unpacker), {}};
    const auto cards = unpacker.value<std::uint64_t>();
    for (std::uint64_t k = 0; k < cards && unpacker.ok(); ++k)
      parcel.cards.push_back(unpacker.array<std::byte>());
    const bool has_all_rows = !parcel.world.rows || parcel.world.rows->size() == parcel.world.size;
    const bool has_all_cards = parcel.cards.empty() || parcel.cards.size() == parcel.world.size;
    if (!has_all_rows || !has_all_cards) return malformed();
    parcels.push_back(std::move(parcel));
  }
  if (!unpacker.is_done()) return malformed();
  return parcels;
}

Bytes pack_verdict(const Status& status) {
  Packer packer;
  packer.value(static_cast<bool>(status));
  if (!status) packer.value(status.failure().fault).text(status.failure().text);
  return packer.take();
}

Status unpack_verdict(const Bytes& bytes) {
  Unpacker unpacker(bytes);
  if (unpacker.value<bool>() && unpacker.is_done()) return {};
  const auto fault = unpacker.value<Fault>();
  std::string text = unpacker.text();
  if (!unpacker.is_done()) return malformed();
  return Failure{std::move(text), fault};
}

}  // namespace comex::groups::joining
