import { describe, expect, test } from 'vitest';
import { isImageName } from '../../../semantics/values/image-name.ts';

const SHA256 = `sha256:${'a'.repeat(64)}`;

describe('names of images', () => {
  test.each([
    'nginx',
    'nginx:1.25',
    'library/nginx:1.25',
    'a/b/c',
    'a__b/c-d.e--f',
    'localhost/web',
    'localhost:5000',
    'localhost:5000/web:1',
    'registry.example.com/team/web:1_2-3.4',
    'Registry/web:1',
    '[2001:db8::1]:5000/web',
    '[2001:db8::1]/web',
    `web@${SHA256}`,
    `web:1@${SHA256}`,
    `web@sha384:${'0'.repeat(96)}`,
    `web@sha512:${'0'.repeat(128)}`,
    `web:${'t'.repeat(128)}`,
    'a'.repeat(255),
  ])('%s is one', (name) => {
    expect(isImageName(name)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['a path with capitals', 'UPPER/Case:1'],
    ['a name with capitals and no registry', 'Nginx'],
    ['a blank', 'web 1'],
    ['an empty part', 'a//b'],
    ['an empty tag', 'web:'],
    ['two tags', 'web:1:2'],
    ['a tag that is too long', `web:${'t'.repeat(129)}`],
    ['a separator at the end', 'web-'],
    ['a separator at the beginning', '.web'],
    ['three underscores', 'a___b'],
    ['a registry with an empty label', 'registry..example/web'],
    ['a registry with a port that is none', 'registry.example:http/web'],
    ['a registry with an empty port', 'registry.example:/web'],
    ['an empty digest', 'web@'],
    ['a digest that is too short', `web@sha256:${'a'.repeat(63)}`],
    ['a digest with capitals', `web@sha256:${'A'.repeat(64)}`],
    ['an algorithm that is none', `web@md5:${'a'.repeat(32)}`],
    ['two digests', `web@${SHA256}@${SHA256}`],
    ['the identifier of an image', 'a'.repeat(64)],
    ['a scheme', 'https://registry.example/web'],
    ['a name that is too long', 'a'.repeat(256)],
    ['a text that is too long', `a${'/a'.repeat(100_000)}`],
  ])('%s is none', (_, name) => {
    expect(isImageName(name)).toBe(false);
  });
});
