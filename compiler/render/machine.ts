import type { Compiled } from '../compile.ts';
import { diagnosticJson } from '../diagnostics/render.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ownPolicy } from '../../semantics/policy.ts';
import type { Explained, Fit } from '../explain/state.ts';
import { predictionOf } from '../forecast/prediction.ts';
import type { Change } from '../plan/change.ts';
import { forJson } from '../text/escape.ts';
import { atOnceMarkdown } from './at-once.ts';
import { planFile } from './plan-file.ts';
import { forecastMarkdown, summaryMarkdown } from './forecast-markdown.ts';
import { MOST_FORECASTS } from '../plan/change.ts';
import { summary } from './change-text.ts';

/** A file that a run writes or would write, as a user names it. */
export interface OutputFile {
  file: string;
  action: 'write' | 'remove';
}

/** `-o json`: everything a run found. Keys are stable; new ones may be added. */
export function jsonPlan(compiled: Compiled, files: readonly OutputFile[] = []): string {
  const document = {
    format: '1',
    summary: summary(compiled.changes),
    changes: compiled.changes.map((change) => ({
      ...nameJson(change),
      action: change.action,
      ...(change.goesBack ? { goesBack: true } : {}),
      ...(change.plan === undefined ? {} : { plan: change.plan }),
      ...stepsJson(change),
    })),
    ...(compiled.atOnce.length === 0
      ? {}
      : { atOnce: compiled.atOnce.map(({ action, manifest }) => ({ ...nameJson(manifest), action })) }),
    files,
    diagnostics: compiled.diagnostics.map(diagnosticJson),
  };
  return forJson(document);
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

/** `-o markdown`: one page, for example as a comment on a pull request. Includes the forecasts if they are few. */
export function markdownPlan(compiled: Compiled): string {
  const warningsOf = (change: Change): readonly Diagnostic[] => compiled.byTarget.get(change.id) ?? [];
  const planned = compiled.changes.filter(({ plan }) => plan !== undefined);
  const atOnce = atOnceMarkdown(compiled.atOnce);
  const forecasts = planned.length > MOST_FORECASTS ? [] : planned;
  return [
    summaryMarkdown(compiled.changes, warningsOf),
    ...(atOnce === undefined ? [] : [atOnce]),
    ...forecasts.map((change) =>
      forecastMarkdown(change, warningsOf(change), compiled.plansAtBase.get(change.id)?.plan).replace(
        /^# /,
        '## ',
      ),
    ),
  ].join('\n');
}
