#include "quire/capi/base.h"

#include <memory>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"

void quire_texts::add(std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.push_back('\0');
  offsets.push_back(bytes.size());
}

extern "C" {

const char* quire_version(void) { return QUIRE_VERSION; }

const char* quire_error_message(const quire_file* file) {
  if (file == nullptr) return "the handle is null";
  return file->error ? file->error->what() : "";
}

quire_status quire_get_error(const quire_file* file, quire_error* error, uint64_t size) {
  if (file == nullptr) return QUIRE_USAGE;
  return quire::capi::guarded([&] {
    quire_error known = {QUIRE_OK, "", "", "", "", 0, 0, -1};
    if (const auto& last = file->error) {
      known.status = quire::capi::status_of(last->kind());
      known.message = last->message().c_str();
      known.path = last->file().c_str();
      known.object = last->object().c_str();
      known.advice = last->advice().c_str();
      known.has_offset = last->offset() ? 1 : 0;
      known.offset = last->offset().value_or(0);
      known.rank = last->rank().value_or(-1);
    }
    quire::capi::fill_in(known, error, size);
  });
}

const char* quire_status_name(quire_status status) {
  if (status == QUIRE_OK) return "ok";
  if (status < QUIRE_OK || status > QUIRE_INTERNAL) return "unknown";
  return quire::name(static_cast<quire::ErrorKind>(static_cast<int>(status) - 1));
}

const char* quire_type_name(quire_type type) {
  if (type < QUIRE_INT8 || type > QUIRE_STRING) return "unknown";
  // Names are literals, so a zero byte follows them.
  return quire::name(static_cast<quire::Type>(type)).data();
}

uint64_t quire_type_size(quire_type type) {
  if (type < QUIRE_INT8 || type > QUIRE_STRING) return 0;
  return quire::size_of(static_cast<quire::Type>(type));
}

uint64_t quire_count_texts(const quire_texts* texts) { return texts != nullptr ? texts->offsets.size() - 1 : 0; }

const char* quire_text(const quire_texts* texts, uint64_t index) {
  if (index >= quire_count_texts(texts)) return nullptr;
  return texts->bytes.data() + texts->offsets[index];
}

uint64_t quire_text_length(const quire_texts* texts, uint64_t index) {
  if (index >= quire_count_texts(texts)) return 0;
  return texts->offsets[index + 1] - texts->offsets[index] - 1;
}

void quire_free_texts(quire_texts* texts) { const std::unique_ptr<quire_texts> mine(texts); }

}  // extern "C"
