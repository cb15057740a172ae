import { isIP } from 'node:net';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import { noOverload, type Opaque } from '../values.ts';

/** An IP address as a number of 32 or 128 bits. */
interface Address {
  family: 4 | 6;
  bits: bigint;
}

interface Network extends Address {
  length: number;
}

const widthOf = (family: 4 | 6) => (family === 4 ? 32 : 128);

function v4Bits(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function v6Bits(text: string): bigint {
  const [, start = text, tail] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const low = tail === undefined ? undefined : v4Bits(tail);
  const full =
    low === undefined ? text : `${start}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  const [before = '', after] = full.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const left = groups(before);
  const right = after === undefined ? [] : groups(after);
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return all.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function addressText({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (bits >> BigInt(112 - 16 * index)) & 0xffffn);
  let [start, length] = [-1, 1];
  for (let at = 0; at < 8; at += 1) {
    let end = at;
    while (end < 8 && groups[end] === 0n) end += 1;
    if (end - at > length) [start, length] = [at, end - at];
  }
  const text = (part: readonly bigint[]) => part.map((group) => group.toString(16)).join(':');
  return start < 0 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

/** Why a text is not an address, in the wording of Go's parser. */
function addressFault(text: string): string {
  const quoted = JSON.stringify(text);
  const parse = (why: string) => `ParseAddr(${quoted}): ${why}`;
  const first = /[.:%]/.exec(text)?.[0];
  if (first === undefined) return parse('unable to parse IP');
  if (first === '%') return parse('missing IPv6 address');
  if (first === ':')
    return parse(/^[0-9a-fA-F:]+$/.test(text) ? 'address string too short' : 'unexpected character');
  const parts = text.split('.');
  for (const part of parts) {
    if (part === '') return parse('IPv4 field must have at least one digit');
    if (/[^0-9]/.test(part)) return parse('unexpected character');
    if (Number(part) > 255) return parse('IPv4 field has value >255');
    if (part.length > 1 && part.startsWith('0')) return parse('IPv4 field has octet with leading zero');
  }
  return parse(parts.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short');
}

function isMapped({ family, bits }: Address): boolean {
  return family === 6 && bits >> 32n === 0xffffn;
}

function parseAddress(text: string): Address | { fault: string } {
  const quoted = JSON.stringify(text);
  const [plain = ''] = text.split('%');
  if (isIP(plain) === 0)
    return { fault: `IP Address ${quoted} parse error during conversion from string: ${addressFault(text)}` };
  if (text.includes('%')) return { fault: `IP address ${quoted} with zone value is not allowed` };
  const address: Address =
    isIP(plain) === 4 ? { family: 4, bits: v4Bits(plain) } : { family: 6, bits: v6Bits(plain) };
  if (isMapped(address)) return { fault: `IPv4-mapped IPv6 address ${quoted} is not allowed` };
  return address;
}

const conversion = 'network address parse error during conversion from string: ';

function parseNetwork(text: string): Network | { fault: string } {
  const quoted = JSON.stringify(text);
  const fault = (why: string) => ({ fault: `${conversion}netip.ParsePrefix(${quoted}): ${why}` });
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fault("no '/'");
  const [address, length] = [text.slice(0, slash), text.slice(slash + 1)];
  if (isIP(address) === 0) return fault(addressFault(address));
  if (address.includes('%')) return fault('IPv6 zones cannot be present in a prefix');
  if (!/^(0|[1-9]\d{0,2})$/.test(length)) return fault(`bad bits after slash: ${JSON.stringify(length)}`);
  const family = isIP(address) === 4 ? 4 : 6;
  if (Number(length) > widthOf(family)) return fault('prefix length out of range');
  const network: Network = {
    family,
    bits: family === 4 ? v4Bits(address) : v6Bits(address),
    length: Number(length),
  };
  if (isMapped(network)) return { fault: `IPv4-mapped IPv6 address ${quoted} is not allowed` };
  return network;
}

const ipOf = (address: Address): Opaque => ({
  kind: 'opaque',
  name: 'net.IP',
  text: addressText(address),
  data: { family: address.family, bits: address.bits },
});

const networkOf = (network: Network): Opaque => ({
  kind: 'opaque',
  name: 'net.CIDR',
  text: `${addressText(network)}/${network.length}`,
  data: network,
});

const address = ({ data }: Opaque) => data as Address;
const network = ({ data }: Opaque) => data as Network;

function ip(text: string): Opaque {
  const parsed = parseAddress(text);
  if ('fault' in parsed) throw new EvaluationFault(parsed.fault);
  return ipOf(parsed);
}

function cidr(text: string): Opaque {
  const parsed = parseNetwork(text);
  if ('fault' in parsed) throw new EvaluationFault(`${conversion}${parsed.fault}`);
  return networkOf(parsed);
}

/** The network bits without host bits. */
function head({ family, bits }: Address, length: number): bigint {
  return bits >> BigInt(widthOf(family) - length);
}

function masked(own: Network): Network {
  const rest = BigInt(widthOf(own.family) - own.length);
  return { ...own, bits: (own.bits >> rest) << rest };
}

/** The server reports invalid text arguments here as missing overloads. */
function given(parse: (text: string) => Opaque, value: Opaque | string): Opaque {
  if (typeof value !== 'string') return value;
  try {
    return parse(value);
  } catch {
    throw noOverload();
  }
}

function containsIp(a: Opaque, b: Opaque | string): boolean {
  const [own, other] = [network(a), address(given(ip, b))];
  return own.family === other.family && head(own, own.length) === head(other, own.length);
}

function containsCidr(a: Opaque, b: Opaque | string): boolean {
  const [own, other] = [network(a), network(given(cidr, b))];
  return (
    own.family === other.family &&
    own.length <= other.length &&
    head(own, own.length) === head(other, own.length)
  );
}

/** Whether an address is in a network; families do not mix. */
function starts({ data }: Opaque, v4: readonly [bigint, number], v6: readonly [bigint, number]): boolean {
  const own = data as Address;
  const [bits, length] = own.family === 4 ? v4 : v6;
  return head(own, length) === bits;
}

const isUnspecified = (own: Opaque) => starts(own, [0n, 32], [0n, 128]);
const isLoopback = (own: Opaque) => starts(own, [127n, 8], [1n, 128]);
const isLinkLocalMulticast = (own: Opaque) =>
  starts(own, [0xe00000n, 24], [0xff02n, 16]) ||
  (address(own).family === 6 && (head(address(own), 16) & 0xff0fn) === 0xff02n);
const isLinkLocalUnicast = (own: Opaque) => starts(own, [0xa9fen, 16], [0x3fan, 10]);
const isMulticast = (own: Opaque) => starts(own, [0xen, 4], [0xffn, 8]);
const isGlobalUnicast = (own: Opaque) =>
  !isUnspecified(own) &&
  !isLoopback(own) &&
  !isMulticast(own) &&
  !isLinkLocalUnicast(own) &&
  own.text !== '255.255.255.255';

/** Kubernetes' IP and CIDR functions. */
export const net: Readonly<Record<string, readonly Form[]>> = {
  ip: [
    ['(string) net.IP', ip],
    ['net.CIDR.() net.IP', (own: Opaque) => ipOf(network(own))],
  ],
  isIP: [['(string) bool', (text: string) => !('fault' in parseAddress(text))]],
  'ip.isCanonical': [['(string) bool', (text: string) => ip(text).text === text]],
  family: [['net.IP.() int', (own: Opaque) => BigInt(address(own).family)]],
  isUnspecified: [['net.IP.() bool', isUnspecified]],
  isLoopback: [['net.IP.() bool', isLoopback]],
  isLinkLocalMulticast: [['net.IP.() bool', isLinkLocalMulticast]],
  isLinkLocalUnicast: [['net.IP.() bool', isLinkLocalUnicast]],
  isGlobalUnicast: [['net.IP.() bool', isGlobalUnicast]],
  cidr: [['(string) net.CIDR', cidr]],
  isCIDR: [['(string) bool', (text: string) => !('fault' in parseNetwork(text))]],
  containsIP: [
    ['net.CIDR.(string) bool', containsIp],
    ['net.CIDR.(net.IP) bool', containsIp],
  ],
  containsCIDR: [
    ['net.CIDR.(string) bool', containsCidr],
    ['net.CIDR.(net.CIDR) bool', containsCidr],
  ],
  prefixLength: [['net.CIDR.() int', (own: Opaque) => BigInt(network(own).length)]],
  masked: [['net.CIDR.() net.CIDR', (own: Opaque) => networkOf(masked(network(own)))]],
};
