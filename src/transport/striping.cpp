#include "transport/striping.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace quire {
namespace {

/// Runs a program of the PATH without output and waits for it. Returns its exit code, or a negative value if it cannot
/// be started.
int run_quietly(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t silence{};
  posix_spawn_file_actions_init(&silence);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&silence, stream, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments.front(), &silence, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&silence);
  if (failure != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string apply_striping(const std::string& path, const Striping& striping) {
  const std::string lead = "the striping was not applied: ";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return lead + "the file exists, and keeps its striping; remove it first";
  std::vector<std::string> words{"lfs", "setstripe"};
  if (striping.count != 0) words.insert(words.end(), {"-c", std::to_string(striping.count)});
  if (striping.size != 0) words.insert(words.end(), {"-S", std::to_string(striping.size)});
  words.push_back(path);
  const int code = run_quietly(std::move(words));
  // A child that could not start its program ends with this code.
  constexpr int no_program = 127;
  if (code < 0 || code == no_program) return lead + "the program lfs is not installed";
  if (code != 0) return lead + "lfs setstripe ended with " + std::to_string(code);
  return {};
}

}  // namespace quire
