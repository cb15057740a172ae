import { BlockList, isIP } from 'node:net';

/** The rules for the addresses that checks may connect to. */
export interface AddressRules {
  /** The kind of a refused address, for messages; undefined: it is allowed. */
  refused(address: string): string | undefined;
}

type Kind = readonly [kind: string, ...blocks: string[]];

/**
 * Refused addresses: of the runtime's own machine, of the local link, of cloud metadata services, of tunnels, and addresses
 * without a host. They are from IANA's registries of special-purpose addresses of IPv4 and IPv6. Not in the list are private
 * addresses (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7), which the Services of a cluster use, and
 * blocks that the registries call globally reachable, unless they are part of a larger block of the list: 192.0.0.9,
 * 192.0.0.10 and 2001:20::/28, for example, are refused. The first kind that contains an address is reported.
 */
const kinds: readonly Kind[] = [
  [
    ...(['a cloud metadata address', '169.254.169.254', '169.254.170.2', '169.254.170.23'] as const),
    ...['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::/32', 'fd20:ce::254', 'fd00:42::42'],
  ],
  ['a loopback address', '127.0.0.0/8', '::1'],
  ['a link-local address', '169.254.0.0/16', 'fe80::/10'],
  ['an unspecified address', '0.0.0.0/8', '::'],
  ['a multicast address', '224.0.0.0/4', 'ff00::/8'],
  ['a broadcast address', '255.255.255.255'],
  // The position of the IPv4 address depends on the operator's prefix, so all of them are refused.
  ['a local NAT64 address', '64:ff9b:1::/48'],
  ['a Teredo address', '2001::/32'],
  ['a 6to4 address', '2002::/16', '192.88.99.0/24'],
  ['a site-local address', 'fec0::/10'],
  ['a benchmarking address', '198.18.0.0/15', '2001:2::/48'],
  [
    ...(['a documentation address', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'] as const),
    ...['2001:db8::/32', '3fff::/20'],
  ],
  ['a discard address', '100::/64'],
  ['a segment routing address', '5f00::/16'],
  // They include anycast addresses, which the nearest gateway answers, and ORCHID.
  ['an address of IETF protocols', '192.0.0.0/24', '2001::/23'],
  [
    // All of IPv6 except global unicast (2000::/3) and unique local (fc00::/7).
    ...(['a reserved address', '240.0.0.0/4', '::/8', '100::/8', '200::/7', '400::/6', '800::/5'] as const),
    ...['1000::/4', '4000::/3', '6000::/3', '8000::/3', 'a000::/3', 'c000::/3', 'e000::/4', 'f000::/5'],
    ...['f800::/6', 'fe00::/9'],
  ],
];

const refusals = kinds.map(([kind, ...blocks]) => ({ kind, list: blockList(blocks) }));

/**
 * The rules for checks: an address is allowed if `allowed` contains it, or none of `kinds` does. An IPv6 address that means
 * an IPv4 address is judged as that one; one that reaches it through a tunnel is judged as both.
 *
 * @param allowed addresses and blocks, each of which `isBlock`
 */
export function createAddressRules(allowed: readonly string[]): AddressRules {
  const list = blockList(allowed);
  return {
    refused(address) {
      const [bare = ''] = address.split('%');
      const family = isIP(bare);
      if (family === 0) return 'not an address';
      const inner = family === 6 ? embedded(bare) : undefined;
      // An allowed IPv4 block does not allow tunnels to it.
      const names = inner?.isSame === true ? [bare, inner.address] : [bare];
      if (names.some((name) => isIn(list, name))) return undefined;
      const judged = inner === undefined ? [bare] : inner.isSame ? [inner.address] : [inner.address, bare];
      return refusals.find((refusal) => judged.some((form) => isIn(refusal.list, form)))?.kind;
    },
  };
}

/** Whether a text is an address or a block of addresses, such as `10.0.0.0/8`. */
export function isBlock(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  if (prefix === undefined) return true;
  return /^(0|[1-9][0-9]{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

type Family = 'ipv4' | 'ipv6';

/** One list per family: in a common list of Node, `::/8` would contain every IPv4 address, as a mapped one. */
type Lists = Readonly<Record<Family, BlockList>>;

function blockList(blocks: readonly string[]): Lists {
  const lists: Lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/');
    const family = familyOf(address);
    if (prefix === undefined) lists[family].addAddress(address, family);
    else lists[family].addSubnet(address, Number(prefix), family);
  }
  return lists;
}

function isIn(lists: Lists, address: string): boolean {
  const family = familyOf(address);
  return lists[family].check(address, family);
}

function familyOf(address: string): Family {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

interface Embedding {
  /** The 16-bit groups before the IPv4 address; undefined: any. */
  groups: readonly (number | undefined)[];
  /** Both addresses mean the same host; otherwise packets to one are tunneled to the other. */
  isSame: boolean;
}

const anyPrefix: readonly undefined[] = [undefined, undefined, undefined, undefined];

const embeddings: readonly Embedding[] = [
  // Mapped, and NAT64.
  { groups: [0, 0, 0, 0, 0, 0xffff], isSame: true },
  { groups: [0x64, 0xff9b, 0, 0, 0, 0], isSame: true },
  // Translated, and the old compatible form.
  { groups: [0, 0, 0, 0, 0xffff, 0], isSame: false },
  { groups: [0, 0, 0, 0, 0, 0], isSame: false },
  // 6to4, and ISATAP below any prefix.
  { groups: [0x2002], isSame: false },
  { groups: [...anyPrefix, 0, 0x5efe], isSame: false },
  { groups: [...anyPrefix, 0x200, 0x5efe], isSame: false },
];

/** The IPv4 address that an IPv6 address contains; undefined: it contains none, as `::` and `::1`. */
function embedded(address: string): { address: string; isSame: boolean } | undefined {
  const groups = groupsOf(address);
  if (groups.slice(0, 7).every((group) => group === 0) && (groups[7] ?? 0) <= 1) return undefined;
  const found = embeddings.find((each) =>
    each.groups.every((group, index) => group === undefined || groups[index] === group),
  );
  if (found === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(found.groups.length);
  return { address: [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.'), isSame: found.isSame };
}

function groupsOf(address: string): number[] {
  // The URL parser writes the last 32 bits as groups, too.
  const normal = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = normal.split('::');
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
