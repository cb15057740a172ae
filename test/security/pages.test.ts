import { expect, test } from 'vitest';
import { createPages } from '../../runtime/api/pages.ts';
import { TransportError } from '../../runtime/api/transport-error.ts';
import { ApiError, type ListOptions, type ObjectList } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

const MIB = 1024 * 1024;

/** A server whose objects have these sizes, and its requests: the limit, and whether the page was read. */
function serverOf(sizes: readonly number[]) {
  const asked: [limit: number | undefined, read: boolean][] = [];
  const once = async ({ limit, continue: from = '0' }: ListOptions, most: number): Promise<ObjectList> => {
    const start = Number(from);
    const page = sizes.slice(start, start + (limit ?? sizes.length));
    const read = page.reduce((sum, size) => sum + size, 0) <= most;
    asked.push([limit, read]);
    await Promise.resolve();
    if (!read) throw new TransportError('oversized', 'too long');
    const end = start + page.length;
    const items = page.map((_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: String(start + index) },
    }));
    return {
      metadata: { resourceVersion: '1', ...(end < sizes.length && { continue: String(end) }) },
      items,
    };
  };
  return { asked, once };
}

async function listAll(sizes: readonly number[]) {
  const { asked, once } = serverOf(sizes);
  const pages = createPages();
  const names: string[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const options = { limit: 100, ...(next !== '' && { continue: next }) };
    const { items, metadata }: ObjectList = await pages(resources.ControllerRevision, options, once);
    names.push(...items.map(({ metadata: { name } }) => name));
    next = metadata.continue;
  }
  return { asked, names };
}

test('security 5: pages of large objects have fewer objects, and none is omitted', async () => {
  const sizes = Array.from({ length: 300 }, (_, n) => (n >= 100 && n < 200 ? 1.5 * MIB : 1_000));
  const { asked, names } = await listAll(sizes);
  expect(names).toEqual(sizes.map((_, n) => String(n)));
  const read = asked.filter(([, isRead]) => isRead);
  expect(read[0]).toEqual([100, true]);
  expect(asked.filter(([, isRead]) => !isRead).length).toBeLessThan(read.length);
  // Small ones come in full pages again.
  expect(Math.max(...read.slice(-2).map(([limit]) => limit ?? 0))).toBeGreaterThan(10);
});

test('security 5: one object that is larger than a page is read', async () => {
  expect((await listAll([10, 20 * MIB, 10])).names).toEqual(['0', '1', '2']);
});

test('security 5: an object beyond the limit is an error, and so is a refusal', async () => {
  await expect(listAll([10, 40 * MIB])).rejects.toThrow('too long');
  const refuse = (): Promise<ObjectList> =>
    Promise.reject(new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }));
  await expect(createPages()(resources.Pod, { limit: 100 }, refuse)).rejects.toThrow('no');
});
