import { subsetsOf } from '../../semantics/kinds/git-units.ts';
import { tupleId } from '../../semantics/owner.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import type { Autoscaler } from '../load/autoscalers.ts';
import type { Locator } from '../load/locate.ts';
import { shownName, type Target } from '../plan/target.ts';
import { locateIn } from './validate.ts';

/**
 * Reports autoscalers of workloads that a target makes for its subsets: both would set the size.
 *
 * @param autoscalers by the ID of what they scale; asked only if a target has subsets
 */
export function autoscalerRules(
  targets: Iterable<Pick<Target, 'manifest' | 'normal'>>,
  autoscalers: () => ReadonlyMap<string, Autoscaler>,
  locator: Locator,
): SharedDiagnostic[] {
  return [...targets].flatMap(({ manifest, normal: { units } }) => {
    if (units.of !== 'subsets') return [];
    return (subsetsOf(units) ?? []).flatMap((subset): SharedDiagnostic[] => {
      const child = units.workloadOf(subset.name);
      const scaler = autoscalers().get(tupleId(child, manifest.namespace, child.name));
      if (scaler === undefined) return [];
      const args = {
        autoscaler: scaler.name,
        child: `${child.kind} ${child.name}`,
        target: `${manifest.kind} ${shownName(manifest)}`,
      };
      const position = locateIn(manifest, locator)(
        manifest.type.git.fieldPath(manifest.object, 'replicas'),
        'value',
      );
      return [{ ids: [manifest.id], found: diagnostic('KR2245', args, position) }];
    });
  });
}
