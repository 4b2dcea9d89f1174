#include "transport/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <random>
#include <utility>

#include "quire/base/error.hpp"
#include "transport/descriptor.hpp"

namespace quire {

SharedMemory SharedMemory::create(std::size_t bytes) {
  SharedMemory memory;
  std::random_device random;
  Descriptor descriptor;
  do {
    memory.name_ = "/quire-" + std::to_string(random()) + "-" + std::to_string(random());
    descriptor = Descriptor(::shm_open(memory.name_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  } while (!descriptor.is_open() && errno == EEXIST);
  if (!descriptor.is_open()) throw system_error("create shared memory", errno);
  memory.owns_name_ = true;
  // With memory that is not allocated, the process would get SIGBUS when it turns out to be missing.
  const int result = ::posix_fallocate(descriptor.number(), 0, static_cast<off_t>(bytes));
  if (result != 0) {
    throw Error(ErrorKind::memory,
                system_error("allocate " + std::to_string(bytes) + " bytes of shared memory", result).message())
        .advise("enlarge /dev/shm, or choose another transport");
  }
  memory.map(descriptor.number(), bytes);
  return memory;
}

SharedMemory SharedMemory::attach(const std::string& name, std::size_t bytes) {
  SharedMemory memory;
  memory.name_ = name;
  const Descriptor descriptor(::shm_open(name.c_str(), O_RDWR, 0));
  if (!descriptor.is_open()) throw system_error("attach to shared memory", errno);
  memory.map(descriptor.number(), bytes);
  return memory;
}

void SharedMemory::map(int descriptor, std::size_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) throw system_error("map shared memory", errno);
  bytes_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : name_(std::move(other.name_)),
      owns_name_(std::exchange(other.owns_name_, false)),
      bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(owns_name_, other.owns_name_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  forget_name();
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

void SharedMemory::forget_name() noexcept {
  if (std::exchange(owns_name_, false)) ::shm_unlink(name_.c_str());
}

}  // namespace quire
