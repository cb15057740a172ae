import { describe, expect, test } from 'vitest';
import { configMaps, refusalOf, widget, widgets } from './world.ts';
import { readRows } from './rows.ts';
import { front, type Address } from './front.ts';

describe('kind and version of a body', () => {
  test('they default to the URL for a built-in kind', () => {
    const made = front().create(configMaps, { metadata: { name: 'a', namespace: 'default' } });
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  const envelopes: [Address, object, number, string][] = readRows('body-kinds');
  test.each(envelopes)('%o refuses %j', (resource, body, code, message) => {
    expect(refusalOf(() => front().create(resource, body))).toMatchObject({ code, message });
  });

  test('metadata of a custom kind are typed', () => {
    const { create, patch } = front();
    const why = 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
    const metadata = { name: 'a', namespace: 'default', labels: { a: 1 } };
    expect(refusalOf(() => create(widgets, { ...widget('a'), metadata }))).toMatchObject({
      code: 400,
      message: `Widget in version "v1" cannot be handled as a Widget: ${why}`,
    });
    expect(refusalOf(() => create(widgets, { ...widget('a'), metadata: 1 })).message).toBe(
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
    );
    create(widgets, widget('b'));
    expect(
      refusalOf(() => patch(widgets, 'b', { type: 'merge', body: { metadata: { labels: { a: 1 } } } })),
    ).toMatchObject({ code: 422, message: expect.stringContaining(`": ${why}`) as string });
  });
});
