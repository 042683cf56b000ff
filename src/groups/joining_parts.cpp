#include "groups/joining_parts.h"

namespace comex::groups::joining {

Failure malformed() {
  return environment_error("what the other side sent is malformed: do both run the same library?");
}

namespace {

void put(Packer& packer, const WorldDescription& world) {
  packer.value(static_cast<const WorldName&>(world));
  const std::vector<ConnectionData> unknown;
  packer.field(world.rows ? *world.rows : unknown);
}

WorldDescription get_world(Unpacker& unpacker) {
  WorldDescription world{unpacker.value<WorldName>()};
  auto rows = std::make_shared<const std::vector<ConnectionData>>(unpacker.array<ConnectionData>());
  if (!rows->empty()) world.rows = std::move(rows);
  return world;
}

}  // namespace

Bytes pack(std::span<const WorldPackage> packages) {
  Packer packer;
  packer.value(std::uint64_t{packages.size()});
  for (const WorldPackage& package : packages) {
    put(packer, package.world);
    packer.value(std::uint64_t{package.cards.size()});
    for (const Bytes& card : package.cards) packer.field(card);
  }
  return packer.take();
}

Result<std::vector<WorldPackage>> unpack_packages(const Bytes& bytes) {
  Unpacker unpacker(bytes);
  std::vector<WorldPackage> packages;
  const auto count = unpacker.value<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && unpacker.ok(); ++i) {
    WorldPackage package{get_world(unpacker), {}};
    const auto cards = unpacker.value<std::uint64_t>();
    for (std::uint64_t k = 0; k < cards && unpacker.ok(); ++k)
      package.cards.push_back(unpacker.array<std::byte>());
    const bool has_all_rows = !package.world.rows || package.world.rows->size() == package.world.size;
    const bool has_all_cards = package.cards.empty() || package.cards.size() == package.world.size;
    if (!has_all_rows || !has_all_cards) return malformed();
    packages.push_back(std::move(package));
  }
  if (!unpacker.is_done()) return malformed();
  return packages;
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
  const bool is_told = !text.empty() && fault <= Fault::environment;
  if (!unpacker.is_done() || !is_told) return malformed();
  return Failure{std::move(text), fault};
}

}  // namespace comex::groups::joining
