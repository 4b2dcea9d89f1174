#include "format/hdf5/library/driver.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // 1.14 moved the driver's classes here
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <type_traits>

#include "format/hdf5/guard/heap_check.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/kept_list.hpp"

namespace quire::hdf5 {
namespace {

constexpr haddr_t highest_address = (haddr_t{1} << 62) - 1;
constexpr haddr_t highest_split_address = HADDR_MAX;  // as in HDF5's own driver

/// The driver information in the access list.
struct DriverInfo {
  std::shared_ptr<Image* const> image;
};

/// The driver's file. The library uses only the first member.
struct DriverFile {
  H5FD_t base{};
  std::shared_ptr<Image* const> link;
  haddr_t end = 0;
  haddr_t raw_end = 0;  ///< of the file of raw data, if the file is split
};
static_assert(std::is_standard_layout_v<DriverFile>);

DriverFile* ours(H5FD_t* file) { return reinterpret_cast<DriverFile*>(file); }
const DriverFile* ours(const H5FD_t* file) { return reinterpret_cast<const DriverFile*>(file); }

/// Runs a callback on the file's image if it still exists. An exception must not cross the library and is kept.
template <class Result, class Work>
Result sheltered(const DriverFile& file, Result failed, Work&& work) noexcept {
  Image* image = *file.link;
  if (image == nullptr) return failed;
  try {
    return work(*image);
  } catch (...) {
    image->keep_failure(std::current_exception());
    return failed;
  }
}

void* copy_info(const void* info) noexcept {
  return new (std::nothrow) DriverInfo(*static_cast<const DriverInfo*>(info));
}

void* info_of(H5FD_t* file) noexcept { return new (std::nothrow) DriverInfo{ours(file)->link}; }

herr_t free_info(void* info) noexcept {
  const std::unique_ptr<DriverInfo> owned(static_cast<DriverInfo*>(info));
  return 0;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t /*highest*/) noexcept {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr || *info->image == nullptr || std::strcmp(name, image_name) != 0) return nullptr;
  if ((flags & H5F_ACC_RDWR) != 0 && !(*info->image)->is_writable()) return nullptr;
  std::unique_ptr<DriverFile> file(new (std::nothrow) DriverFile);
  if (!file) return nullptr;
  file->link = info->image;
  if (const auto& split = (*info->image)->split()) file->raw_end = split->raw_end;
  return &file.release()->base;
}

/// Whether an allocation of this type belongs to the file of raw data. HDF5 also uses the type of raw data for global
/// heaps.
bool is_in_raw_file(const DriverFile& file, H5FD_mem_t type) noexcept {
  const bool is_raw = type == H5FD_MEM_DRAW || type == H5FD_MEM_GHEAP;
  return is_raw && *file.link != nullptr && (*file.link)->split().has_value();
}

haddr_t allocated_end(const H5FD_t* file, H5FD_mem_t type) noexcept {
  const DriverFile& mine = *ours(file);
  if (is_in_raw_file(mine, type)) return first_raw_address + mine.raw_end;
  // An empty file must have no end; otherwise the library would not create its superblock.
  if (mine.end == 0 || *mine.link == nullptr) return mine.end;
  return std::max<haddr_t>(mine.end, (*mine.link)->planned_end());
}

herr_t close_file(H5FD_t* file) noexcept {
  const std::unique_ptr<DriverFile> owned(ours(file));
  if (Image* image = *owned->link) {
    image->set_allocated_ends(allocated_end(file, H5FD_MEM_SUPER), owned->raw_end);
  }
  return 0;
}

int compare_files(const H5FD_t* left, const H5FD_t* right) noexcept {
  const auto& first = ours(left)->link;
  const auto& second = ours(right)->link;
  if (first.owner_before(second)) return -1;
  return second.owner_before(first) ? 1 : 0;
}

/// No features: each of them would let the library buffer or move bytes.
herr_t query_features(const H5FD_t* /*file*/, unsigned long* flags) noexcept {
  if (flags != nullptr) *flags = 0;
  return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, hsize_t size) noexcept {
  DriverFile& mine = *ours(file);
  return sheltered(mine, HADDR_UNDEF, [&](Image& image) -> haddr_t {
    const std::uint64_t place = image.allocate(type == H5FD_MEM_DRAW, size, mine.end);
    if (image.split() && place >= first_raw_place) {
      mine.raw_end = std::max<haddr_t>(mine.raw_end, place - first_raw_place + size);
      return raw_address_of(place);
    }
    mine.end = std::max<haddr_t>(mine.end, place + size);
    return place;
  });
}

herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t type, haddr_t end) noexcept {
  if (!is_in_raw_file(*ours(file), type)) {
    ours(file)->end = end;
    return 0;
  }
  if (end < first_raw_address) return -1;
  ours(file)->raw_end = end - first_raw_address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t type) noexcept {
  const Image* image = *ours(file)->link;
  if (image == nullptr) return 0;
  if (is_in_raw_file(*ours(file), type)) return first_raw_address + ours(file)->raw_end;
  const haddr_t known = std::max<haddr_t>({image->size(), image->pending().end(), image->claimed_end()});
  // As above; a file may be opened again in a session.
  return ours(file)->end == 0 ? known : std::max<haddr_t>(known, image->planned_end());
}

std::uint64_t place_in(const Image& image, haddr_t address) {
  return image.split() ? place_in_split(address) : std::uint64_t{address};
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, size_t size,
                  void* buffer) noexcept {
  return sheltered(*ours(file), herr_t{-1}, [&](Image& image) {
    const std::uint64_t offset = place_in(image, address);
    const std::span out(static_cast<std::byte*>(buffer), size);
    if (type == H5FD_MEM_OHDR) {
      image.read_header(offset, out);
    } else if (type == H5FD_MEM_DRAW) {
      // HDF5 passes global heaps to drivers as raw data, too.
      if (image.read_raw(offset, out)) check_global_heap(out, offset);
    } else {
      image.read_node(offset, out);
    }
    return herr_t{0};
  });
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, size_t size,
                   const void* buffer) noexcept {
  return sheltered(*ours(file), herr_t{-1}, [&](Image& image) {
    image.write(place_in(image, address), {static_cast<const std::byte*>(buffer), size});
    return herr_t{0};
  });
}

hsize_t information_size(H5FD_t* file) noexcept {
  return sheltered(*ours(file), hsize_t{0},
                   [&](Image& image) { return image.split() ? hsize_t{image.split()->encode(0).size()} : hsize_t{0}; });
}

herr_t encode_information(H5FD_t* file, char* name, unsigned char* information) noexcept {
  return sheltered(*ours(file), herr_t{-1}, [&](Image& image) {
    Split split = image.split().value();
    split.raw_end = ours(file)->raw_end;
    const std::vector<std::byte> bytes = split.encode(ours(file)->end);
    // The end of the name may overlap the begin of the information.
    std::memcpy(name, split_information, std::strlen(split_information) + 1);
    std::memcpy(information, bytes.data(), bytes.size());
    return herr_t{0};
  });
}

/// The information has been read and checked before the library opened the file.
herr_t decode_information(H5FD_t* /*file*/, const char* /*name*/, const unsigned char* /*bytes*/) noexcept { return 0; }

/// Set member by member, because the members differ between versions of the library.
H5FD_class_t driver_class(bool is_split) {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(is_split ? 514 : 513);  // from the range for private use
#endif
  // HDF5 opens a split file only with a driver of this name.
  driver.name = is_split ? split_driver : "quire";
  driver.maxaddr = is_split ? highest_split_address : highest_address;
  if (is_split) {
    driver.sb_size = information_size;
    driver.sb_encode = encode_information;
    driver.sb_decode = decode_information;
  }
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.fapl_get = info_of;
  driver.fapl_copy = copy_info;
  driver.fapl_free = free_info;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query_features;
  driver.alloc = allocate;
  driver.get_eoa = allocated_end;
  driver.set_eoa = set_allocated_end;
  driver.get_eof = end_of_file;
  driver.read = read_bytes;
  driver.write = write_bytes;
  // Raw data and metadata use separate free lists, so that planned places are never allocated for metadata.
  constexpr H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(lists), std::end(lists), driver.fl_map);
  return driver;
}

/// Registered once and never closed, unless the program has closed the library: when the last file of a driver is
/// closed, HDF5 1.10 frees the driver and then calls it to close the file.
hid_t registered_driver(bool is_split) {
  static std::array<hid_t, 2> drivers{H5I_INVALID_HID, H5I_INVALID_HID};
  hid_t& driver = drivers[is_split ? 1 : 0];
  if (driver < 0 || H5Iget_type(driver) != H5I_VFL) {
    const H5FD_class_t description = driver_class(is_split);
    driver = H5FDregister(&description);
    require(driver < 0 ? -1 : 0, "register the file driver");
  }
  return driver;
}

/// The common properties of all access lists.
Handle plain_access_list() {
  Handle list = own(H5Pcreate(H5P_FILE_ACCESS), "create a file access list");
  require(H5Pset_fclose_degree(list.id(), H5F_CLOSE_STRONG), "set the close degree");
  require(H5Pset_sieve_buf_size(list.id(), 0), "turn off the sieve buffer");
  require(H5Pset_meta_block_size(list.id(), 0), "turn off metadata blocks");
  require(H5Pset_small_data_block_size(list.id(), 0), "turn off small data blocks");
  return list;
}

/// The metadata cache holds those of a usual step while it is created. If it is full, HDF5 writes the names of a group
/// again for each further object, which takes quadratic time from about 50,000 objects on.
Handle writing_access_list() {
  Handle list = plain_access_list();
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  require(H5Pget_mdc_config(list.id(), &config), "read the settings of the cache");
  config.set_initial_size = true;
  config.initial_size = config.max_size = std::size_t{128} << 20;  // the largest that HDF5 allows
  config.decr_mode = H5C_decr__off;
  require(H5Pset_mdc_config(list.id(), &config), "set the size of the cache");
  return list;
}

/// The access list with which H5Fopen and H5Fcreate open `image`, which must outlive every file opened with it. There
/// is one list for all images that are read, and one for all others: it is valid for the next call while the lock of
/// the library is held (Quiet).
///
/// Such a file is buffered only in the library's metadata cache: no sieve, no aggregation, no accumulator. HDF5 cannot
/// open other files with it; we open the targets of external links.
Handle access_list(Image& image) {
  static KeptList reading("quire: access to images", plain_access_list);
  static KeptList writing("quire: access to images that are written", writing_access_list);
  Handle list = (image.is_writable() ? writing : reading).get();
  const DriverInfo info{image.self()};
  require(H5Pset_driver(list.id(), registered_driver(image.split().has_value()), &info), "set the file driver");
  const bool needs_index = image.attribute_index() == AttributeIndex::unordered;
  set_library_version(list.id(),
                      std::max(image.library_version(), needs_index ? LibraryVersion::v18 : LibraryVersion::earliest));
  return list;
}

}  // namespace

Handle open_image(Image& image) {
  // If the driver refuses the root header later, HDF5 leaks memory and reports that at exit.
  image.check_root();
  const Handle list = access_list(image);
  const unsigned flags = image.is_writable() ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
  return own(H5Fopen(image_name, flags, list.id()), "open the HDF5 file");
}

Handle create_image(Image& image) {
  const Handle list = access_list(image);
  static KeptList plain("quire: new images", [] { return timeless_creation(H5P_FILE_CREATE); });
  static KeptList ordered("quire: new images in order", [] { return timeless_creation(H5P_FILE_CREATE, true); });
  const Handle creation = image.attribute_index() == AttributeIndex::in_order ? ordered.get() : plain.get();
  return own(H5Fcreate(image_name, H5F_ACC_TRUNC, creation.id(), list.id()), "create the HDF5 file");
}

}  // namespace quire::hdf5
