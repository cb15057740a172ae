import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { nodeImageGit } from '../../../semantics/nodeimage/git.ts';
import { invalidNodeImage } from '../../../semantics/nodeimage/invalid.ts';
import { nodeImage } from '../../fixtures/node-images.ts';

const web = (...tags: string[]): JsonObject => ({ web: { tags: tags.map((tag) => ({ tag })) } });
const by = (...pullSecrets: JsonObject[]): JsonObject => ({ web: { tags: [{ tag: '1' }], pullSecrets } });
const many = (count: number, entry: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`image-${index}`, entry]));
const digest = `sha256:${'a'.repeat(64)}`;

describe('what is refused', () => {
  test.each<[string, JsonObject, string[]]>([
    ['no image is nothing to do', {}, []],
    ['tags, and a digest', web('1', 'v1.2-rc_3', digest), []],
    ['a registry with a port', { 'localhost:5000/a/b': { tags: [{ tag: '1' }] } }, []],
    ['PJ-24: ttlSecondsAfterFinished are not asked for', web('1'), []],
    ['an empty name', { '': { tags: [] } }, ['spec.images.: image can not be empty']],
    [
      'a name with a tag',
      { 'a/web:1': { tags: [{ tag: '1' }] } },
      ['spec.images.a/web:1: must be a name without tag or digest'],
    ],
    [
      'a name with a digest',
      { [`web@sha256:${'a'.repeat(64)}`]: { tags: [] } },
      [`spec.images.web@sha256:${'a'.repeat(64)}: must be a name without tag or digest`],
    ],
    ['a name that is none', { '-web': { tags: [] } }, ['spec.images.-web: must be the name of an image']],
    ['an empty tag', web(''), ['spec.images.web.tags.0.tag: tag can not be empty']],
    ['a tag twice', web('1', '2', '1'), ['spec.images.web.tags.2.tag: each tag may be there once']],
    ['a tag that is none', web('a/b'), ['spec.images.web.tags.0.tag: must be a tag or a digest']],
    ['a digest that is none', web('sha256:x'), ['spec.images.web.tags.0.tag: must be a tag or a digest']],
    [
      'a Secret without namespace',
      by({ name: 'key' }),
      ['spec.images.web.pullSecrets.0.namespace: must be the name of a namespace'],
    ],
    [
      'a Secret without name',
      by({ namespace: 'shop' }),
      ['spec.images.web.pullSecrets.0.name: must be the name of a Secret'],
    ],
    [
      'a Secret of the system',
      by({ namespace: 'shop', name: 'key' }, { namespace: 'kube-system', name: 'key' }),
      ['spec.images.web.pullSecrets.1.namespace: nothing is pulled in namespace kube-system'],
    ],
    [
      '65 Secrets',
      by(...Array.from({ length: 65 }, (_, index) => ({ namespace: 'shop', name: `key-${index}` }))),
      ['spec.images.web.pullSecrets: must have at most 64 Secrets'],
    ],
    ['256 images', many(256, { tags: [{ tag: '1' }] }), []],
    ['257 images', many(257, { tags: [] }), ['spec.images: must have at most 256 images']],
    [
      '257 tags',
      { ...many(256, { tags: [{ tag: '1' }] }), 'image-0': { tags: [{ tag: '1' }, { tag: '2' }] } },
      ['spec.images: must have at most 256 tags in all'],
    ],
  ])('%s', (_what, images, faults) => {
    const found = invalidNodeImage(nodeImage('a', images));
    expect(found.map(({ path, rule }) => `${path.join('.')}: ${rule}`)).toEqual(faults);
  });
});

test('a change says what is pulled because of it', () => {
  const effect = (before: JsonObject, after: JsonObject) =>
    nodeImageGit.effect(nodeImage('a', before), nodeImage('a', after));
  expect(effect(web('1'), web('1'))).toBeUndefined();
  expect(effect(web('1', '2'), web('1'))).toBeUndefined();
  expect(effect(web('1'), web('1', '2'))).toBe('web:2 is pulled to node a');
  expect(effect({}, web('1', '2'))).toBe('web:1, web:2 are pulled to node a');
  expect(effect({}, web('1', '2', '3'))).toBe('web:1, web:2 and 1 more are pulled to node a');
  expect(effect(web('1'), { web: { tags: [{ tag: '1', version: 1 }] } })).toBe('web:1 is pulled to node a');
});
