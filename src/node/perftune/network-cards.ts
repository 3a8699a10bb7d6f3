import type { HostFacts, NicFacts } from "../../domain/scylla/perftune/host-facts.ts";

/** By name: every card that the user's interfaces consist of. */
export function cardsOf({ nics = [] }: HostFacts): ReadonlyMap<string, NicFacts> {
  const cards = nics.flatMap((nic) => (nic.type === "devices" ? nic.devices : []));
  return new Map(cards.map((card) => [card.name, card]));
}
