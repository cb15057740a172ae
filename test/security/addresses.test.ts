import { describe, expect, it } from 'vitest';
import { createAddressRules } from '../../runtime/check/addresses.ts';

const refused = (address: string, listed: string[] = []): string | undefined =>
  createAddressRules(listed).refused(address);

/**
 * IANA's registries of special-purpose addresses, IPv4 and IPv6, and blocks beyond global unicast: each block with
 * its first and its last address, and what a check reads about it. `undefined`: it may be asked, for services of a
 * cluster live there, or it is reached globally.
 */
const registry: readonly [block: string, first: string, last: string, kind: string | undefined][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', 'an unspecified address'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', undefined],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', undefined],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', 'a loopback address'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', 'a link-local address'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', undefined],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', 'an address of IETF protocols'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', 'a documentation address'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', undefined],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', undefined],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', 'a 6to4 address'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', undefined],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', undefined],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', 'a benchmarking address'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', 'a documentation address'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', 'a documentation address'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', 'a multicast address'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.254', 'a reserved address'],
  ['255.255.255.255/32', '255.255.255.255', '255.255.255.255', 'a broadcast address'],
  ['::/128', '::', '::', 'an unspecified address'],
  ['::1/128', '::1', '::1', 'a loopback address'],
  ['::/96', '::1.0.0.0', '::223.255.255.255', 'a reserved address'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'a local NAT64 address'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff', 'a discard address'],
  ['100:0:0:1::/64', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff', 'a reserved address'],
  ['2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', 'a Teredo address'],
  ['2001:1::1/128', '2001:1::1', '2001:1::3', 'an address of IETF protocols'],
  ['2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', 'a benchmarking address'],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff::', 'an address of IETF protocols'],
  ['2001:20::/28', '2001:20::', '2001:2f:ffff::', 'an address of IETF protocols'],
  ['2001:30::/28', '2001:30::', '2001:3f:ffff::', 'an address of IETF protocols'],
  ['2001::/23', '2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'an address of IETF protocols'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'a documentation address'],
  ['2002::/16', '2002:808:808::', '2002:dfff:ffff::', 'a 6to4 address'],
  ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff::', undefined],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'a documentation address'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'a segment routing address'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'a link-local address'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'a site-local address'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'a multicast address'],
  // What no registry has given out: nothing outside 2000::/3 and fc00::/7 is a host.
  ['0000::/8', '0:0:0:0:1::', 'ff:ffff::', 'a reserved address'],
  ['0100::/8 to 1000::/4', '101::', '1fff:ffff::', 'a reserved address'],
  ['4000::/3 to f800::/6', '4000::', 'fbff:ffff::', 'a reserved address'],
  ['fe00::/9', 'fe00::', 'fe7f:ffff::', 'a reserved address'],
];

describe('security 16: addresses that checks must not connect to', () => {
  it.each(registry)('%s: from %s to %s it is %s', (_block, first, last, kind) => {
    expect([refused(first), refused(last)]).toEqual([kind, kind]);
  });

  it.each(registry.filter(([, , , kind]) => kind !== undefined))(
    '%s: an administrator may list the address',
    (_block, first) => {
      expect(refused(first, [first])).toBeUndefined();
    },
  );

  it.each([
    // Each way to write an address of IPv4 within one of IPv6.
    ['::ffff:169.254.169.254', 'a cloud metadata address'],
    ['::ffff:0:169.254.169.254', 'a cloud metadata address'],
    ['::169.254.169.254', 'a cloud metadata address'],
    ['64:ff9b::169.254.169.254', 'a cloud metadata address'],
    ['2002:a9fe:a9fe::1', 'a cloud metadata address'],
    ['fd00::5efe:169.254.169.254', 'a cloud metadata address'],
    ['2a00:1::5efe:169.254.169.254', 'a cloud metadata address'],
    ['2a00:1::200:5efe:127.0.0.1', 'a loopback address'],
    // Its place within depends on a prefix that only the operator knows: refused, whatever it is.
    ['64:ff9b:1::169.254.169.254', 'a local NAT64 address'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'a local NAT64 address'],
    // Teredo holds the inverted address of its client.
    ['2001:0:4136:e378:8000:63bf:80ff:fffe', 'a Teredo address'],
    ['2002:a00:1::', 'a 6to4 address'],
    ['::10.0.0.1', 'a reserved address'],
    ['::ffff:0:10.0.0.1', 'a reserved address'],
    // Metadata of clouds at unique local addresses.
    ['fd00:ec2::254', 'a cloud metadata address'],
    ['fd00:ec2::23', 'a cloud metadata address'],
    ['fd00:42::42', 'a cloud metadata address'],
  ])('%s is %s', (address, kind) => {
    expect(refused(address)).toBe(kind);
  });

  it.each([
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::8.8.8.8',
    'fd00::5efe:10.0.0.1',
    'fd00:ec3::254',
    '2000::1',
    '2a00:1::1',
    '3ffe::1',
  ])('%s is allowed', (address) => {
    expect(refused(address)).toBeUndefined();
  });

  it('a tunnel does not bypass the rules for IPv4 addresses', () => {
    expect(refused('64:ff9b:1::10.0.0.1', ['10.0.0.0/8'])).toBe('a local NAT64 address');
    expect(refused('2002:a00:1::', ['10.0.0.0/8'])).toBe('a 6to4 address');
    expect(refused('2002:a00:1::', ['2002::/16'])).toBeUndefined();
  });
});
