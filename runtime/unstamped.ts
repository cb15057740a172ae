import type { Cluster } from '../schemas/wire/cluster.ts';
import { stampingKinds } from '../semantics/kinds/admitting.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import { listed } from '../semantics/values/listed.ts';
import { countText } from '../semantics/values/text.ts';
import { missingStamp } from './admit/stamp.ts';

/**
 * For each kind whose objects lack annotations that only an admission writes, what follows. Nothing here reads them: they are for
 * OpenKruise, where objects are handed back. An object that cannot be listed is in no count.
 */
export async function unstampedTexts(cluster: Cluster, kinds: readonly Kind[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { kind } of stampingKinds(kinds)) {
    const { items } = await cluster.list(kind.resource).catch(() => ({ items: [] }));
    const missing = items
      .map((object) => missingStamp(object, kind))
      .filter((each) => Object.keys(each).length > 0);
    if (missing.length === 0) continue;
    const keys = [...new Set(missing.flatMap((each) => Object.keys(each)))].sort();
    const [first] = missing.length === 1 ? ['lacks'] : ['lack'];
    texts.push(
      `${countText(missing.length, kind.id.kind)} ${first} the present ${listed(keys, 'and')}, which an admission writes: before they are handed back to OpenKruise, read docs/how-to/from-openkruise.md`,
    );
  }
  return texts;
}
