import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { SHARES_ANNOTATION, sharesText } from '../../../semantics/children/share-records.ts';
import {
  originOfChild,
  readShare,
  rootNeeds,
  SHARE_ANNOTATION,
  shareDigest,
  shareText,
  type WrittenShare,
} from '../../../semantics/children/shares.ts';

const written: WrittenShare = {
  share: {
    goal: 'h1:bb',
    stable: 'h1:aa',
    allowed: 2,
    moving: true,
    window: { maxUnavailable: 1 },
    mode: 'Recreate',
  },
  root: { goal: 'h1:22', stable: 'h1:11', before: 'h1:11', since: 3, atMost: 2 },
};
const text = shareText(written);
const root: KubeObject = {
  apiVersion: 'test/v1',
  kind: 'Root',
  metadata: { name: 'web', namespace: 'shop', uid: 'r' },
};
const reference = { apiVersion: 'test/v1', kind: 'Root', name: 'web', uid: 'r', controller: true };

function child(annotation: string | undefined, owners: object[] = [reference]): KubeObject {
  return {
    apiVersion: 'test/v1',
    kind: 'Child',
    metadata: {
      name: 'web-a',
      namespace: 'shop',
      ...(annotation !== undefined && { annotations: { [SHARE_ANNOTATION]: annotation } }),
      ownerReferences: owners as NonNullable<KubeObject['metadata']['ownerReferences']>,
    },
  };
}

const revision = (number: number, records: Record<string, string[]>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: `web-${number}`,
    annotations: { [SHARES_ANNOTATION]: sharesText(new Map(Object.entries(records))) },
  },
  revision: number,
});

describe('a share as it stands on a child', () => {
  test('is read as it was written', () => {
    expect(readShare(child(text))).toEqual(written);
    const first = { ...written, root: { ...written.root, before: undefined } };
    expect(readShare(child(shareText(first)))).toEqual(first);
  });

  test.each([
    undefined,
    '',
    '{}',
    text.replace('"allowed":2', '"allowed":-2'),
    text.replace('"allowed":2', '"allowed":2,"more":1'),
    text.replace('"moving":true', '"moving":"true"'),
    ` ${text}`,
  ])('%j is none', (annotation) => {
    expect(readShare(child(annotation))).toBeUndefined();
  });
});

describe('a child is believed', () => {
  const creator = (revisions: KubeObject[]) => ({ target: root, revisions });
  const recorded = creator([revision(1, { 'web-a': [shareDigest(text)] })]);

  test('if its root has its share on record, and it has the template of that', () => {
    expect(originOfChild(child(text), 'h1:bb', recorded)).toEqual({
      by: 'root',
      root: 'Root web',
      share: written.share,
    });
    expect(rootNeeds(child(text))).toEqual([
      { of: 'Creator', controller: { group: 'test', kind: 'Root' }, namespace: 'shop', name: 'web' },
    ]);
  });

  test('also while its next share is on record, too', () => {
    const both = creator([revision(1, { 'web-a': [shareDigest('next'), shareDigest(text)] })]);
    expect(originOfChild(child(text), 'h1:bb', both).by).toBe('root');
  });

  test.each([
    ['another template', 'h1:cc', text, recorded, 'its template is not the one that Root web gives it'],
    [
      'another share',
      'h1:bb',
      text.replace('"allowed":2', '"allowed":9'),
      recorded,
      'Root web has not recorded that it gives it this share',
    ],
    [
      'the share of another child',
      'h1:bb',
      text,
      creator([revision(1, { 'web-b': [shareDigest(text)] })]),
      'Root web has not recorded that it gives it this share',
    ],
    [
      'a share of which the newest record says nothing',
      'h1:bb',
      text,
      creator([revision(1, { 'web-a': [shareDigest(text)] }), revision(2, { 'web-a': [shareDigest('')] })]),
      'Root web has not recorded that it gives it this share',
    ],
    [
      'records that nobody has written so',
      'h1:bb',
      text,
      creator([
        {
          ...revision(1, {}),
          metadata: { name: 'web-1', annotations: { [SHARES_ANNOTATION]: `web-a:${shareDigest(text)} x` } },
        },
      ]),
      'Root web has not recorded that it gives it this share',
    ],
    ['no root', 'h1:bb', text, undefined, 'Root web does not exist, or is not managed'],
    [
      'a root of a later time',
      'h1:bb',
      text,
      { ...recorded, target: { ...root, metadata: { ...root.metadata, uid: 'other' } } },
      'Root web is another one, of a later time',
    ],
    [
      'a root that goes',
      'h1:bb',
      text,
      { ...recorded, target: { ...root, metadata: { ...root.metadata, deletionTimestamp: 'x' } } },
      'Root web is being deleted',
    ],
  ])('not with %s', (_, liveHash, annotation, by, why) => {
    expect(originOfChild(child(annotation), liveHash, by)).toEqual({ by: 'unproven', why });
  });

  test('and is that of a user without a controller, or without a share', () => {
    expect(originOfChild(child(text, []), 'h1:bb', undefined)).toEqual({ by: 'user' });
    expect(originOfChild(child(undefined), 'h1:bb', recorded)).toEqual({ by: 'user' });
    expect([rootNeeds(child(text, [])), rootNeeds(child(undefined))]).toEqual([[], []]);
  });
});
