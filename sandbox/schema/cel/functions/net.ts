import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import { noOverload, type Opaque } from '../values.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

interface Network {
  address: Address;
  length: number;
}

/** As Go writes it. */
function addressText(of: Address): string {
  return of instanceof ipaddr.IPv6 ? of.toRFC5952String() : of.toString();
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

function isMapped(of: Address): boolean {
  return of instanceof ipaddr.IPv6 && of.isIPv4MappedAddress();
}

function parseAddress(text: string): Address | { fault: string } {
  const quoted = JSON.stringify(text);
  const [plain = ''] = text.split('%');
  if (isIP(plain) === 0)
    return { fault: `IP Address ${quoted} parse error during conversion from string: ${addressFault(text)}` };
  if (text.includes('%')) return { fault: `IP address ${quoted} with zone value is not allowed` };
  const address = ipaddr.parse(plain);
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
  const network: Network = { address: ipaddr.parse(address), length: Number(length) };
  if (Number(length) > network.address.toByteArray().length * 8) return fault('prefix length out of range');
  if (isMapped(network.address)) return { fault: `IPv4-mapped IPv6 address ${quoted} is not allowed` };
  return network;
}

const ipOf = (of: Address): Opaque => ({ kind: 'opaque', name: 'net.IP', text: addressText(of), data: of });

const networkOf = (of: Network): Opaque => ({
  kind: 'opaque',
  name: 'net.CIDR',
  text: `${addressText(of.address)}/${of.length}`,
  data: of,
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

function isWithin(of: Address, { address: head, length }: Network): boolean {
  return of.kind() === head.kind() && of.match(head, length);
}

/** A network without its host bits. */
function masked({ address: of, length }: Network): Network {
  const version = of instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return { address: version.networkAddressFromCIDR(`${of.toString()}/${length}`), length };
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
  return isWithin(address(given(ip, b)), network(a));
}

function containsCidr(a: Opaque, b: Opaque | string): boolean {
  const [own, other] = [network(a), network(given(cidr, b))];
  return own.length <= other.length && isWithin(other.address, own);
}

/** Whether an address is in one of the networks. */
function among(...cidrs: readonly string[]): (own: Opaque) => boolean {
  const networks = cidrs.map((text) => {
    const [of, length] = ipaddr.parseCIDR(text);
    return { address: of, length };
  });
  return (own) => networks.some((each) => isWithin(address(own), each));
}

const isUnspecified = among('0.0.0.0/32', '::/128');
const isLoopback = among('127.0.0.0/8', '::1/128');
const isMulticast = among('224.0.0.0/4', 'ff00::/8');
const isLinkLocalUnicast = among('169.254.0.0/16', 'fe80::/10');
/** Whatever the flags of an IPv6 address, its scope counts. */
const isLinkLocalMulticast = among(
  '224.0.0.0/24',
  ...Array.from({ length: 16 }, (_, flags) => `ff${flags.toString(16)}2::/16`),
);
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
    ['net.CIDR.() net.IP', (own: Opaque) => ipOf(network(own).address)],
  ],
  isIP: [['(string) bool', (text: string) => !('fault' in parseAddress(text))]],
  'ip.isCanonical': [['(string) bool', (text: string) => ip(text).text === text]],
  family: [['net.IP.() int', (own: Opaque) => (address(own) instanceof ipaddr.IPv6 ? 6n : 4n)]],
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
