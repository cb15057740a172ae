import { describe, expect, it } from 'vitest';
import { createAddressRules, isBlock } from '../../../runtime/check/addresses.ts';

describe('the addresses that checks may connect to', () => {
  it.each([
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['::1', 'a loopback address'],
    ['0:0:0:0:0:0:0:1', 'a loopback address'],
    ['169.254.0.1', 'a link-local address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'a link-local address'],
    ['febf::1', 'a link-local address'],
    ['0.0.0.0', 'an unspecified address'],
    ['0.1.2.3', 'an unspecified address'],
    ['::', 'an unspecified address'],
    ['224.0.0.1', 'a multicast address'],
    ['239.255.255.255', 'a multicast address'],
    ['ff02::1', 'a multicast address'],
    ['255.255.255.255', 'a broadcast address'],
    ['240.0.0.1', 'a reserved address'],
    ['169.254.169.254', 'a cloud metadata address'],
    ['100.100.100.200', 'a cloud metadata address'],
    ['168.63.129.16', 'a cloud metadata address'],
    ['fd00:ec2::254', 'a cloud metadata address'],
    ['::ffff:127.0.0.1', 'a loopback address'],
    ['::ffff:7f00:1', 'a loopback address'],
    ['::FFFF:169.254.169.254', 'a cloud metadata address'],
    ['::ffff:0.0.0.0', 'an unspecified address'],
    ['::ffff:0:127.0.0.1', 'a loopback address'],
    ['::127.0.0.1', 'a loopback address'],
    ['64:ff9b::127.0.0.1', 'a loopback address'],
    ['64:ff9b::a9fe:a9fe', 'a cloud metadata address'],
    ['2002:7f00:1::', 'a loopback address'],
    ['2002:a9fe:a9fe:1::5', 'a cloud metadata address'],
    ['localhost', 'not an address'],
    ['', 'not an address'],
  ])('%s is %s', (address, kind) => {
    expect(createAddressRules([]).refused(address)).toBe(kind);
  });

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '1.1.1.1',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '223.255.255.255',
    'fd00::1',
    'fdff::1',
    '2a00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
  ])('%s is allowed', (address) => {
    expect(createAddressRules([]).refused(address)).toBeUndefined();
  });

  it.each([
    ['127.0.0.1', '127.0.0.0/8', undefined],
    ['127.0.0.1', '127.0.0.1', undefined],
    ['127.0.0.2', '127.0.0.1', 'a loopback address'],
    ['::ffff:127.0.0.1', '127.0.0.0/8', undefined],
    ['64:ff9b::127.0.0.1', '127.0.0.0/8', undefined],
    ['::1', '127.0.0.0/8', 'a loopback address'],
    ['::1', '::1', undefined],
    ['::1', '::1/128', undefined],
    ['fe80::5', 'fe80::/64', undefined],
    ['169.254.169.254', '127.0.0.0/8', 'a cloud metadata address'],
    ['169.254.169.254', '169.254.0.0/16', undefined],
    ['127.0.0.1', '0.0.0.0/0', undefined],
    ['::1', '0.0.0.0/0', 'a loopback address'],
  ])('%s with %s listed: %s', (address, block, kind) => {
    expect(createAddressRules([block]).refused(address)).toBe(kind);
  });

  it.each([
    ['10.0.0.0/8', true],
    ['10.0.0.1', true],
    ['::/0', true],
    ['fd00::/128', true],
    ['10.0.0.0/33', false],
    ['fd00::/129', false],
    ['10.0.0.0/08', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/-1', false],
    ['10.0.0/8', false],
    ['10.0.0.0/8/8', false],
    ['fe80::1%eth0', false],
    ['localhost', false],
    ['', false],
  ])('%j is a block: %s', (text, is) => {
    expect(isBlock(text)).toBe(is);
  });
});
