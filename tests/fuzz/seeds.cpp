// seeds FOLDER: writes the first inputs of each target, FOLDER/TARGET/NAME, from right messages of every
// kind.
#include <filesystem>
#include <fstream>
#include <string>

#include "core/protocol.h"
#include "fuzz/fuzz.h"
#include "groups/joining_parts.h"
#include "transport/bundle.h"
#include "unit/groups/worlds.h"
#include "watch/job_state.h"
#include "worlds/connect/side.h"

namespace comex::fuzz {
namespace {

using protocol::BatchItem;
using protocol::Layout;
using protocol::RequestHeader;
using protocol::Verb;

class Seed {
 public:
  template <class T>
  Seed& add(const T& value) {
    return add_bytes(std::as_bytes(std::span(&value, 1)));
  }
  Seed& byte(unsigned value) { return add(static_cast<std::uint8_t>(value)); }
  Seed& add_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  // A message of a leader: its length, then itself.
  Seed& add_told(const Bytes& bytes) {
    return add(static_cast<std::uint16_t>(bytes.size())).add_bytes(bytes);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

  void save(const std::filesystem::path& folder, const std::string& name) const {
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  std::vector<std::byte> bytes_;
};

struct Request {
  std::string name;
  RequestHeader header;
  Seed rest;
};

Request request(const std::string& name, Verb verb, std::uint64_t bytes, std::uint8_t flags = 0) {
  Request made{name, {}, {}};
  made.header.verb = verb;
  made.header.world = 3;
  made.header.target = 7;
  made.header.bytes = bytes;
  made.header.flags = flags;
  made.header.chunk_bytes = 2048;
  made.header.slot = 1;
  return made;
}

void add_strided(Request& to, std::uint64_t run, std::uint64_t times) {
  to.header.layout = Layout::strided;
  to.rest.add(protocol::StridedLayout{1, 0})
      .add(run)
      .add(times)
      .add(std::int64_t{2} * static_cast<std::int64_t>(run));
}

void add_scatter(Request& to, std::uint32_t bytes, std::uint32_t count) {
  to.header.layout = Layout::vector;
  to.rest.add(protocol::ScatterLayout{count, bytes});
  for (std::uint64_t i = 0; i < count; ++i) to.rest.add(i * 64);
}

Request batch() {
  Request made = request("batch", Verb::batch, 0);
  made.header.target = 1;
  made.header.set_items(6);
  const std::uint64_t word = 5;
  made.rest.add(BatchItem{Verb::put, 0, 8, 7, 64}).add(word);
  made.rest.add(protocol::RepeatedItem{.step = 8}).add(word);
  made.rest.add(BatchItem{Verb::get, protocol::named_item, 16, 7, 64}).add(TargetName{4, 1});
  made.rest.add(BatchItem{Verb::acc, protocol::detail_of(Scalar::int64, Layout::contiguous), 8, 7, 128});
  made.rest.add(word).add(word);
  made.rest.add(BatchItem{Verb::rmw, static_cast<std::uint8_t>(protocol::Atomic::fetch_add), 8, 7, 64})
      .add(word);
  made.rest.add(BatchItem{Verb::rmw, static_cast<std::uint8_t>(protocol::Atomic::compare_swap), 4, 7, 64});
  made.rest.add(word).add(word);
  return made;
}

std::vector<Request> requests() {
  constexpr std::uint8_t inside = protocol::body_inline;
  const std::vector<std::byte> data(64);
  std::vector<Request> all;
  for (const std::uint64_t bytes : {8ul, 12000ul}) {
    const std::string size = bytes == 8 ? "small_" : "large_";
    const std::uint8_t flags = bytes == 8 ? inside : std::uint8_t{0};
    const auto body = std::span(data).first(bytes == 8 ? 8 : 0);
    for (const Verb verb : {Verb::put, Verb::get, Verb::acc}) {
      for (const unsigned layout : {0u, 1u, 2u}) {
        const std::string name = verb == Verb::put ? "put" : verb == Verb::get ? "get" : "acc";
        Request made = request(size + name + std::to_string(layout), verb, bytes,
                               verb == Verb::get ? std::uint8_t{0} : flags);
        if (verb == Verb::acc) {
          made.header.scalar = Scalar::int32;
          made.rest.add(Scale{{1}});
        }
        if (layout == 1) add_strided(made, bytes / 2, 2);
        if (layout == 2) add_scatter(made, static_cast<std::uint32_t>(bytes / 2), 2);
        if (verb != Verb::get) made.rest.add_bytes(body);
        all.push_back(made);
      }
    }
  }
  all.push_back(request("rmw", Verb::rmw, 8));
  all.back().header.scalar = Scalar::int64;
  all.back().header.atomic = protocol::Atomic::compare_swap;
  all.back().rest.add(std::uint64_t{1});
  all.push_back(request("put_signal", Verb::put, 8, inside | protocol::with_signal));
  all.back().rest.add(std::uint64_t{1024}).add(std::uint64_t{1});
  all.push_back(request("store", Verb::store, 8, protocol::with_signal));
  for (const Verb verb :
       {Verb::lock, Verb::try_lock, Verb::release, Verb::fence, Verb::return_credits, Verb::leave})
    all.push_back(request("verb_" + std::to_string(static_cast<unsigned>(verb)), verb, 0));
  all.push_back(batch());
  return all;
}

void write_requests(const std::filesystem::path& to) {
  for (const Request& each : requests()) {
    Seed seed;
    seed.byte(0).add(each.header).add_bytes(each.rest.bytes()).save(to, each.name);
  }
  std::vector<std::byte> room(protocol::bundle_bytes);
  transport::BundleWriter writer(room.data());
  const RequestHeader header = request("", Verb::put, 64).header;
  writer.add(std::as_bytes(std::span(&header, 1)));
  writer.add(std::as_bytes(std::span(&header, 1)));
  writer.add(std::vector<std::byte>(64), protocol::put_tag(1));
  Seed seed;
  seed.byte(0).add_bytes(std::span(room).first(writer.finish())).save(to, "bundle");
}

// As tests/fuzz/server.cpp reads steps.
void add_step(Seed& seed, const Request& each) {
  constexpr unsigned all_help = 63;
  seed.byte(0).byte(0).byte(all_help).add(each.header);
  seed.add(static_cast<std::uint16_t>(each.rest.bytes().size())).add_bytes(each.rest.bytes());
}

void write_server(const std::filesystem::path& to) {
  for (const bool is_at_end : {false, true}) {
    const unsigned config = is_at_end ? 1 : 0;
    Seed all;
    all.byte(config);
    for (Request each : requests()) {
      // Inside the memory, and half behind its end; see place_near() there.
      each.header.offset = is_at_end ? 4 * 60 : 2;
      Seed seed;
      seed.byte(config);
      add_step(seed, each);
      const bool has_body = each.header.bytes > 4000 && each.header.verb != Verb::get;
      for (unsigned chunk = 0; has_body && chunk < 6; ++chunk)
        seed.byte(10).byte(0).byte(0).add(static_cast<std::uint16_t>(chunk < 5 ? 2064 : 12000 - 5 * 2064));
      for (unsigned pass = 0; pass < 8; ++pass) seed.byte(15).byte(0);
      seed.save(to, each.name + "_" + std::to_string(config));
      if (each.header.bytes < 4000 && each.header.verb != Verb::leave &&
          each.header.verb != Verb::return_credits)
        add_step(all, each);
    }
    all.save(to, "all_" + std::to_string(config));
  }
}

// As tests/fuzz/origin.cpp reads steps: an operation, then an answer to it.
void write_origin(const std::filesystem::path& to) {
  for (unsigned operation = 0; operation < 12; ++operation) {
    for (const Verb verb : {Verb::data, Verb::done, Verb::refused, Verb::data_batch}) {
      Seed seed;
      seed.byte(1);
      seed.byte(0).byte(0).byte(0).byte(operation).byte(1).byte(0).byte(0).byte(0);
      protocol::ReplyHeader reply;
      reply.verb = verb;
      reply.slot = 1;
      reply.limit = 8;
      seed.byte(6).byte(0).byte(127).add(reply).add(std::uint16_t{8});
      seed.save(to, std::to_string(operation) + "_" + std::to_string(static_cast<unsigned>(verb)));
    }
  }
}

void write_job_state(const std::filesystem::path& to) {
  watch::JobState job_state;
  for (int worker = 0; worker < 3; ++worker) {
    watch::RankState rank;
    rank.rank = rank.worker = worker;
    rank.state = 'S';
    rank.wait.call[0] = 'g';
    rank.wait.seconds = 3;
    rank.wait.waiting = static_cast<activity::Waiting>(worker);
    rank.wait.target = (worker + 1) % 3;
    job_state.ranks.push_back(rank);
    job_state.mutexes.push_back({worker, (worker + 1) % 3, 0, 1});
  }
  Seed().byte(1).add_bytes(watch::pack(job_state)).save(to, "mutexes");
  job_state.silent.push_back({1, 2});
  job_state.ranks.front().worker = -1;
  Seed().byte(1).add_bytes(watch::pack(job_state)).save(to, "silent");
  Seed().byte(0).byte(1).byte(0).add(std::uint64_t{1}).add(std::uint64_t{2}).save(to, "arena");
}

void write_meeting(const std::filesystem::path& to) {
  using namespace groups::joining;
  SideOffer offer;
  offer.members = {{2, 0}, {2, 1}};
  offer.table = offer.members;
  offer.worlds = {{2, 2, {1, 2}, {7, 9}}};
  offer.context = 9;
  const Bytes good = pack_verdict({});
  const Bytes verdict = Packer().value(true).field(good).take();
  const WorldPackage package{groups::testing::some_world(2, 2), {}};
  const Bytes packages = Packer().field(good).field(pack(std::span(&package, 1))).take();
  for (unsigned kind = 0; kind < 8; ++kind) {
    Seed seed;
    seed.byte(0).byte(kind).add_told(pack_fields(offer)).add_told(verdict).add_told(packages).add_told(good);
    seed.save(to, "join_" + std::to_string(kind));
  }
  worlds::SideFacts facts;
  facts.mpi = "some MPI";
  facts.has_name_server = true;
  facts.progress_ranks = {{2, 0}, {2, 4}};
  Seed().byte(4).add_bytes(pack_fields(facts)).save(to, "side");
  Seed().byte(6).add_bytes(pack_fields(offer)).save(to, "offer");
  Seed().byte(6).add_bytes(pack(std::span(&package, 1))).save(to, "packages");
  const std::string_view port = "[::1]:4711:0123456789abcdef0123456789abcdef";
  Seed().byte(7).add_bytes(std::as_bytes(std::span(port))).save(to, "port");
}

// As tests/fuzz/ports.cpp reads steps.
void write_ports(const std::filesystem::path& to) {
  Seed().byte(0).byte(0).byte(2).add(std::uint16_t{80}).byte(3).byte(0).byte(0).save(to, "guest");
  Seed().byte(3).byte(6).byte(0).byte(1).byte(3).byte(1).save(to, "listener");
  Seed().byte(4).byte(1).byte(6).byte(20).add(std::uint64_t{1}).add(std::uint64_t{2}).save(to, "frames");
  Seed().byte(6).byte(1).byte(4).add(WorldId{2}).byte(4).add(WorldId{3}).save(to, "links");
  Seed().byte(7).byte(6).byte(1).byte(2).save(to, "watch");
}

}  // namespace
}  // namespace comex::fuzz

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path to = argv[1];
  comex::fuzz::write_requests(to / "requests");
  comex::fuzz::write_server(to / "server");
  comex::fuzz::write_origin(to / "origin");
  comex::fuzz::write_job_state(to / "job_state");
  comex::fuzz::write_meeting(to / "meeting");
  comex::fuzz::write_ports(to / "ports");
  return 0;
}
