import { podInjectorOf } from '../../semantics/registry/pod-injectors.ts';
import { selectorPredicate } from '../../semantics/values/selector.ts';
import type { InjectionClash } from '../../semantics/kinds/pod-injector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { Manifest } from '../load/manifest.ts';
import { shownName } from '../plan/target.ts';
import { locateIn } from '../validate/validate.ts';
import { podSelection, selectsNamespace } from './reach.ts';

/** Further workloads of one object are not compared: a list of all of them helps nobody. */
const MOST_REPORTED = 1_000;
/** Further ones are reported without the position in the workload: finding it takes another parse. */
const MOST_RELATED = 20;

/**
 * What sets add to the pods of workloads under names that these pods have of their own. It is an error where it is certain that
 * the set is injected there.
 *
 * @param sets the valid ones
 * @param planned the valid targets by ID, for positions
 * @param git the pods at head
 * @param elsewhere those of other roots, which may be for other clusters
 */
export function clashRules(
  sets: Iterable<Manifest>,
  planned: ReadonlyMap<string, Manifest>,
  git: GitPods,
  elsewhere: GitPods | undefined,
  locator: Locator,
): SharedDiagnostic[] {
  return [...sets].flatMap((set) => {
    const injector = podInjectorOf(set.type.id);
    const selection = podSelection(set);
    if (injector === undefined || selection === undefined) return [];
    const clashesWith = injector.clashes(set.object);
    const isSelected = selectorPredicate(selection.selector);
    const found: SharedDiagnostic[] = [];
    const compare = (workload: GitWorkload, pods: GitPods, isElsewhere: boolean): void => {
      if (found.length >= MOST_REPORTED || injector.exempt.includes(workload.namespace ?? '')) return;
      const templates = workload.templates.filter(({ labels }) => isSelected(labels));
      if (templates.length === 0) return;
      const isInNamespace = selectsNamespace(selection, workload.namespace, pods);
      if (isInNamespace === false) return;
      const doubt = doubtOf(workload, isElsewhere, isInNamespace);
      for (const template of templates)
        for (const clash of clashesWith(template)) {
          const isShown = !isElsewhere && found.length < MOST_RELATED;
          const at = isShown ? planned.get(workload.id) : undefined;
          const related = at === undefined ? [] : relatedTo(clash, at, template.path, locator);
          const position = locateIn(set, locator)(clash.path, 'value');
          const args = argsOf(set, workload, clash, doubt);
          const code = clash.of === 'volume' ? 'KR2218' : doubt === undefined ? 'KR2217' : 'KR2222';
          found.push({
            ids: [set.id, workload.id],
            found: diagnostic(code, args, position, related),
          });
        }
    };
    for (const workload of git.workloads) compare(workload, git, false);
    for (const workload of elsewhere?.workloads ?? []) compare(workload, elsewhere ?? git, true);
    return found;
  });
}

/** Why it is not certain that a set is injected into the pods of a workload; undefined: it is. */
function doubtOf(
  { namespace }: GitWorkload,
  isElsewhere: boolean,
  isInNamespace: boolean | undefined,
): string | undefined {
  if (isElsewhere) return 'if one cluster gets both roots';
  if (isInNamespace === true) return undefined;
  return namespace === undefined
    ? 'if it selects their namespace'
    : `if the namespace ${namespace} has the labels`;
}

function argsOf(
  set: Manifest,
  workload: GitWorkload,
  clash: InjectionClash,
  doubt: string | undefined,
): { set: string; workload: string; what: string; name: string; doubt: string | undefined } {
  return {
    set: `${set.kind} ${set.name}`,
    workload: `${workload.kind} ${shownName(workload)}`,
    what: clash.of,
    name: clash.of === 'volume' ? clash.name : clash.own.name,
    doubt,
  };
}

function relatedTo(
  clash: InjectionClash,
  workload: Manifest,
  template: readonly string[],
  locator: Locator,
): Diagnostic['related'] {
  if (clash.of === 'volume') return [];
  const path = [...template, 'spec', clash.own.list, String(clash.own.index), 'name'];
  return [{ message: 'its own', position: locateIn(workload, locator)(path, 'value') }];
}
