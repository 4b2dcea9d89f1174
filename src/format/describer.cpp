#include "quire/spi/format/describer.hpp"

#include "quire/spi/format/describer_capabilities.hpp"

namespace quire {

std::optional<StepLayout> verified_step(Describer& describer, std::uint64_t index) {
  DamageReader* const damage = describer.capabilities().damage;
  return damage != nullptr ? damage->verified(index) : describer.step(index);
}

std::optional<StepLayout> salvaged_step(Describer& describer, std::uint64_t index) {
  DamageReader* const damage = describer.capabilities().damage;
  return damage != nullptr ? damage->salvage(index) : std::nullopt;
}

Publication repair_acts(Describer& describer) {
  Repairer* const repairer = describer.capabilities().repairer;
  return repairer != nullptr ? repairer->repair() : Publication();
}

}  // namespace quire
