import type { ReadSnapshot } from '../../runtime/serve/page.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import { byText } from '../../compiler/text/order.ts';
import { statusPage } from '../status/page.ts';
import { readStatus } from '../status/read-status.ts';
import { statusesOf } from '../status/read.ts';

/** Reads what runs for the page that `kruise run` serves: what `kruise status -A` shows, or the status of one namespace. */
export function rolloutsReader(clock: Clock): ReadSnapshot {
  return async (cluster, namespace) => {
    const objects = await readStatus({ cluster }, { target: undefined, namespace, digest: undefined });
    const statuses = statusesOf(objects);
    const now = clock.now();
    return {
      namespaces: [...new Set(statuses.map((status) => status.namespace))].sort(byText),
      render(visible, isCut) {
        const about = isCut
          ? ['There are further namespaces than fit here. Ask for one with ?namespace=NAME.']
          : [];
        const shown = statuses.filter((status) => visible.has(status.namespace));
        return statusPage(shown, now, { about, isServed: true });
      },
    };
  };
}
