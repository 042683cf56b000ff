// A thread that rings a doorbell when anything happens at a socket of this process.
//
// Made for what reads the sockets itself, and may be asleep on the doorbell: nothing is read here. The thread
// sleeps in the kernel; it wakes once at most for each arm(), and not at all while nobody has armed it.
// Sockets are found when they are armed. All descriptors close at exec. Used by WatchedNaps.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "shm/doorbell.h"
#include "shm/os.h"

namespace comex::shm {

class SocketWatch {
 public:
  // Null where the system refuses. The doorbell must stay.
  static std::unique_ptr<SocketWatch> make(Os& os, Doorbell bell);
  ~SocketWatch();  // joins the thread
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // The next event rings, once. What has happened before does not: look for it after this. False, and not
  // armed: sockets that are new could not be found, or it is too early to look for them again.
  bool arm();
  void disarm();
  // Whether anything has happened since the last arm() or heard(), be it read by now or not.
  bool heard();

 private:
  class Descriptor {
   public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return number_; }

   private:
    int number_;
  };

  SocketWatch(Os& os, Doorbell bell);
  bool start();
  bool find_sockets();
  bool add_sockets();
  bool add(int descriptor);
  bool set_gate(std::uint32_t events);
  void run();

  Os& os_;
  Doorbell bell_;
  Descriptor sockets_;  // an epoll set of all sockets, by edges
  Descriptor gate_;     // what the thread sleeps in: the set above, one shot for each arm(), and `stop_`
  Descriptor stop_;
  std::uint64_t next_search_ns_ = 0;
  std::thread thread_;
};

}  // namespace comex::shm
