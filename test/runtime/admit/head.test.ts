import { expect, test } from 'vitest';
import { namesInHead } from '../../../runtime/admit/head.ts';

const review = (request: object): string => JSON.stringify({ kind: 'AdmissionReview', request });
const user = { username: 'a"b', groups: ['x', '{'], extra: { name: ['[', '"'] } };

test.each([
  [
    'its name',
    { uid: 'u', namespace: 'shop', userInfo: user, object: { metadata: { name: 'web-0' } } },
    'shop/web-0',
  ],
  [
    'how its name begins',
    { uid: 'u', namespace: 'shop', object: { metadata: { generateName: 'web-' } } },
    'shop/web-…',
  ],
  ['the name of the request', { uid: 'u', name: 'web-1', userInfo: user }, 'web-1'],
  [
    'the uid',
    { uid: 'u', namespace: 'shop', userInfo: user, object: { spec: { name: 'x' } } },
    'shop: request u',
  ],
  ['the namespace alone', { namespace: 'shop' }, 'shop'],
  ['nothing', { userInfo: user }, undefined],
  [
    'no name in a list, or elsewhere',
    { x: [{ uid: 'a', metadata: { name: 'b' } }], object: { uid: 'c' } },
    undefined,
  ],
  ['no text that is no name', { uid: 'a\nb', namespace: 'x'.repeat(300) }, undefined],
])('names a pod by %s', (_what, request, expected) => {
  expect(namesInHead(review(request))).toBe(expected);
});

test('reads what is cut anywhere', () => {
  const text = review({
    uid: 'u',
    namespace: 'shop',
    userInfo: user,
    object: { metadata: { name: 'web-0' } },
  });
  for (let end = 0; end < text.length; end += 1)
    expect([undefined, 'request u', 'shop: request u', 'shop/web-0']).toContain(
      namesInHead(text.slice(0, end)),
    );
});
