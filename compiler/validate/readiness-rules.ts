import { retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import { areSelected, updatesNone, ownedPods, rolloutSize } from '../../semantics/kinds/git-units.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { isReadyByStart } from '../../semantics/pod/restarted.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { limitsAt } from '../forecast/window.ts';
import type { Change } from '../plan/change.ts';
import { restartsNothing } from '../plan/restarts.ts';
import { fieldPath } from '../plan/target.ts';
import { valueAt } from './schema-errors.ts';
import type { Locate } from './schema-errors.ts';

/**
 * Warns if pods are available as soon as their containers start: a pod that crashes later was counted as available, so the
 * rollout cannot keep the availability that the forecast shows. Applies only if the plan keeps some pods available.
 */
export function readyByStart(change: Change, locate: Locate): Diagnostic[] {
  const { type, head, plan } = change;
  if (head === undefined || plan === undefined) return [];
  const { normal } = head;
  const [, ...earlier] = plan.spec.from;
  const starting = restartsNothing(change) ? earlier : plan.spec.from;
  const restarts = starting.some(({ mode }) => mode === 'InPlace' || mode === 'Recreate');
  const replicas = rolloutSize(normal.units) ?? 0;
  const moving = replicas - retainedByPartition(normal.units, replicas);
  const pace = { normal, limits: type.limits };
  const keepsSome = plan.spec.steps.some(
    (step) => step.update !== undefined && limitsAt(step, pace, replicas).maxUnavailable < replicas,
  );
  if (!restarts || moving <= 0 || !keepsSome || updatesNone(normal.units)) return [];
  if ((ownedPods(normal.units)?.minReadySeconds ?? 0) > 0) return [];
  const path = [...fieldPath(head, 'template'), 'spec'];
  const spec = valueAt(podTemplateOf(normal), ['spec']) as Pod['spec'] | undefined;
  if (!Array.isArray(spec?.containers) || !isReadyByStart(spec)) return [];
  return [
    diagnostic(
      'KR2135',
      { field: areSelected(normal.units) ? undefined : fieldPath(head, 'minReadySeconds').join('.') },
      locate([...path, 'containers'], 'key'),
    ),
  ];
}
