import type { Compiled } from '../compile.ts';
import { diagnosticJson } from '../diagnostics/render.ts';
import { hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ownPolicy } from '../../semantics/policy.ts';
import type { Explained, Fit } from '../explain/state.ts';
import { predictionOf } from '../forecast/prediction.ts';
import type { Change } from '../plan/change.ts';
import { areMany, type Group, groupsOf } from '../review/groups.ts';
import { groupedMarkdown, MOST_CHARACTERS } from '../review/markdown.ts';
import { totalsOf } from '../review/totals.ts';
import { forJson } from '../text/escape.ts';
import { atOnceMarkdown } from './at-once.ts';
import { planFile } from './plan-file.ts';
import { forecastMarkdown, summaryMarkdown } from './forecast-markdown.ts';
import { summary } from './change-text.ts';

/** A file that a run writes or would write, as a user names it. */
export interface OutputFile {
  file: string;
  action: 'write' | 'remove';
}

/**
 * `-o json`: everything a run found. Keys are stable; new ones may be added.
 *
 * @param isKnown whether the changes are those of the manifests: after an error in one, its targets may seem to be gone
 */
export function jsonPlan(
  compiled: Compiled,
  files: readonly OutputFile[] = [],
  isKnown = !hasErrors(compiled.diagnostics),
): string {
  const groups = groupsOf(compiled);
  const document = {
    format: '1',
    ...(isKnown ? {} : { known: false }),
    summary: summary(compiled.changes),
    totals: totalsOf(groups),
    groups: groups.map(groupJson),
    changes: compiled.changes.map((change) => ({
      ...nameJson(change),
      action: change.action,
      ...(change.goesBack ? { goesBack: true } : {}),
      ...(change.plan === undefined ? {} : { plan: change.plan }),
      ...stepsJson(change),
    })),
    ...(compiled.atOnce.length === 0
      ? {}
      : {
          atOnce: compiled.atOnce.map(({ action, manifest, copies }) => ({
            ...nameJson(manifest),
            action,
            ...(copies !== undefined && { copies }),
          })),
        }),
    files,
    diagnostics: compiled.diagnostics.map(diagnosticJson),
  };
  return forJson(document);
}

/** A group with all names. What its targets have beyond that is in `changes`. */
function groupJson({
  members,
  kind,
  effect,
  risks,
  what,
  notes,
  units,
  mark,
  fields,
  warnings,
  ...group
}: Group): object {
  return {
    ...{ kind, mark, effect, risks, what, notes },
    ...(units === undefined ? {} : { units: units.count, nouns: units.nouns }),
    fields,
    ...(group.plan === undefined ? {} : { plan: group.plan }),
    warnings: warnings.map(({ code }) => code),
    messages: warnings.map(({ message }) => message),
    targets: members.map(({ namespace, name }) => ({
      ...(namespace === undefined ? {} : { namespace }),
      name,
    })),
  };
}

/**
 * `kruise explain OBJECT -o json`: what is known of each object. `forecast` is that of the committed plan if it leads to the
 * manifest, and else of the next change of its template.
 */
export function jsonExplanation(explained: readonly Explained[], diagnostics: readonly Diagnostic[]): string {
  const document = {
    format: '1',
    objects: explained.map(({ head, plan, isPlanInvalid, expectedFile, fit, change, ...named }) => {
      const policy = head && ownPolicy(head.manifest.object);
      return {
        ...nameJson(named),
        ...(head === undefined ? {} : { file: head.manifest.origin.source.file, hash: head.hash }),
        ...(policy === undefined ? {} : { policy }),
        ...(plan === undefined ? {} : { plan: plan.plan, planFile: plan.file }),
        ...(expectedFile === undefined ? {} : { expectedPlanFile: expectedFile }),
        ...(isPlanInvalid ? { planInvalid: true } : {}),
        ...(fit === undefined ? {} : { planLeads: LEADS[fit] }),
        ...(change === undefined
          ? {}
          : { forecastOf: fit === 'leads' ? 'Plan' : 'NextChange', ...stepsJson(change) }),
      };
    }),
    diagnostics: diagnostics.map(diagnosticJson),
  };
  return forJson(document);
}

/** Where a committed plan leads, as a word that programs compare with. */
const LEADS: Record<Fit, string> = {
  leads: 'Here',
  'other bound': 'OtherBound',
  'goes back': 'FromHere',
  other: 'Elsewhere',
};

function nameJson({ kind, namespace, name }: Pick<Change, 'kind' | 'namespace' | 'name'>): object {
  return { kind, ...(namespace === undefined ? {} : { namespace }), name };
}

function stepsJson(change: Change): object {
  const forecast = predictionOf(change)?.forecast;
  return {
    ...(change.stepsFrom === undefined ? {} : { stepsFrom: change.stepsFrom }),
    ...(change.reach === undefined ? {} : { selects: change.reach }),
    ...(forecast === undefined ? {} : { forecast }),
  };
}

/** `-o yaml`: the plans, one document each. */
export function yamlPlans(compiled: Compiled): string {
  return compiled.changes.flatMap(({ plan }) => (plan === undefined ? [] : [planFile(plan)])).join('---\n');
}

/**
 * `-o markdown`: one page, for example as a comment on a pull request. Few changes have their forecasts. Many are grouped, and so are
 * those whose forecasts do not fit into a comment.
 *
 * @param before what is printed before it
 */
export function markdownPlan(compiled: Compiled, before = ''): string {
  const room = MOST_CHARACTERS - before.length;
  const grouped = (most: number): string =>
    groupedMarkdown(summary(compiled.changes), groupsOf(compiled), most);
  if (areMany(compiled)) return `${before}${grouped(room)}`;
  const warningsOf = (change: Change): readonly Diagnostic[] => compiled.byTarget.get(change.id) ?? [];
  const planned = compiled.changes.filter(({ plan }) => plan !== undefined);
  const atOnce = atOnceMarkdown(compiled.atOnce);
  const page = [
    summaryMarkdown(compiled.changes, warningsOf),
    ...(atOnce === undefined ? [] : [atOnce]),
    ...planned.map((change) =>
      forecastMarkdown(change, warningsOf(change), compiled.plansAtBase.get(change.id)?.plan).replace(
        /^# /,
        '## ',
      ),
    ),
  ].join('\n');
  if (page.length <= room) return `${before}${page}`;
  return `${before}${grouped(room - 200)}\nThe forecasts together are longer than a comment: each is in the \`forecast.md\` beside its plan.\n`;
}
