import { BlockList, isIP } from 'node:net';

/** Says which addresses may not be asked. */
export interface AddressRules {
  /** What kind of address it is that is refused, in words; undefined when it may be asked. */
  refused(address: string): string | undefined;
}

/** Addresses that lead back to the runtime's own machine, to its neighbours on the link, or to the cloud's secrets. */
const kinds: readonly [kind: string, ...blocks: string[]][] = [
  [
    ...['a cloud metadata address', '169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16'],
    ...['192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
  ] as [string, ...string[]],
  ['a loopback address', '127.0.0.0/8', '::1'],
  ['a link-local address', '169.254.0.0/16', 'fe80::/10'],
  ['an unspecified address', '0.0.0.0/8', '::'],
  ['a multicast address', '224.0.0.0/4', 'ff00::/8'],
  ['a broadcast address', '255.255.255.255'],
  ['a reserved address', '240.0.0.0/4'],
];

const refusals = kinds.map(([kind, ...blocks]) => ({ kind, list: blockList(blocks) }));

/**
 * The rules for checks: what `allowed` lists may be asked; of the rest everything but `kinds`. An address of IPv6 that
 * stands for one of IPv4 is judged as that one.
 *
 * @param allowed addresses and blocks, each of which `isBlock`
 */
export function createAddressRules(allowed: readonly string[]): AddressRules {
  const list = blockList(allowed);
  return {
    refused(address) {
      const [bare = ''] = address.split('%');
      const family = isIP(bare);
      if (family === 0) return 'no address';
      const inner = family === 6 ? embedded(bare) : undefined;
      const forms = inner === undefined ? [bare] : [bare, inner];
      if (forms.some((form) => isIn(list, form))) return undefined;
      return refusals.find((refusal) => forms.some((form) => isIn(refusal.list, form)))?.kind;
    },
  };
}

/** Whether a text is an address or a block of addresses, `10.0.0.0/8`. */
export function isBlock(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  if (prefix === undefined) return true;
  return /^(0|[1-9][0-9]{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Prefixes of IPv6, as groups of 16 bits, after which an address of IPv4 follows. */
const embeddings: readonly (readonly number[])[] = [
  // Mapped, translated, and the old compatible form.
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
  [0, 0, 0, 0, 0, 0],
  // NAT64 and 6to4.
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x2002],
];

/** The address of IPv4 within one of IPv6; `::` and `::1` are none. */
function embedded(address: string): string | undefined {
  const groups = groupsOf(address);
  const prefix = embeddings.find((each) => each.every((group, index) => groups[index] === group));
  if (prefix === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(prefix.length);
  if (prefix.length === 6 && !prefix.some((group) => group > 0) && high === 0 && low <= 1) return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function groupsOf(address: string): number[] {
  // The URL parser writes the last 32 bits as groups too.
  const normal = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = normal.split('::');
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
