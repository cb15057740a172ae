import { expect, test } from 'vitest';
import { hasFormat } from '../schema/formats.ts';

const formats: [string, string[], string[]][] = [
  [
    'date-time',
    ['2026-01-01T00:00:00Z', '2026-01-01t00:00:00z', '2026-01-01T00:00:00.123456789+02:00'],
    [
      'x',
      '',
      '2026-01-01',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01 00:00:00Z',
    ],
  ],
  ['date', ['2026-01-01', '2028-02-29'], ['x', '2026-1-1', '2026-02-30']],
  [
    'duration',
    ['1h', '1h30m', '1.5h', '-1s', '1 day', '1d', '1w', 'P1D', '3 hours 5 seconds'],
    ['x', '1', ''],
  ],
  ['ipv4', ['1.2.3.4', '01.2.3.4'], ['x', '1.2.3.256', '::1']],
  [
    'ipv6',
    ['::1', '::', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8'],
    ['x', '1.2.3.4', 'fe80::1%eth0', '1::2::3', '1:2:3'],
  ],
  ['cidr', ['10.0.0.0/8', '10.0.0.1/8', '::/0'], ['x', '10.0.0.0', '10.0.0.0/33']],
  ['uuid', ['a987fbc9-4bed-3078-cf07-9141ba07c9f3', 'A987FBC94BED3078CF079141BA07C9F3'], ['x']],
  ['uuid4', ['57b73598-8764-4ad0-a76a-679bb6640eb1'], ['a987fbc9-4bed-3078-cf07-9141ba07c9f3']],
  ['byte', ['aGk=', ''], ['###', 'aGk', 'aG k=']],
  ['uri', ['http://a', '/a'], ['x', 'a b', 'http://a b', '']],
  ['hostname', ['x'], ['a_b', '-a', 'a..b', '']],
  ['email', ['a@b', 'a@b.c', 'A <a@b.c>'], ['x']],
  ['mac', ['00:00:5e:00:53:01', '0000.5e00.5301'], ['x']],
  ['hexcolor', ['#fff', 'fff'], ['x', '#ffff']],
  ['k8s-short-name', ['x'], ['A_']],
  ['password', ['x'], []],
  ['whatever', ['x'], []],
];

test.each(formats)('the format %s', (format, good, bad) => {
  expect(good.filter((each) => !hasFormat(format, each))).toEqual([]);
  expect(bad.filter((each) => hasFormat(format, each))).toEqual([]);
});
