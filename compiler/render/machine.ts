import type { Compiled } from '../compile.ts';
import { diagnosticJson } from '../diagnostics/render.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { forecastOf } from '../forecast/forecast.ts';
import { runForecastOf } from '../forecast/run-forecast.ts';
import { tickForecastOf } from '../forecast/tick-forecast.ts';
import type { Change } from '../plan/change.ts';
import { forJson } from '../text/escape.ts';
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
    changes: compiled.changes.map((change) => {
      const forecast = forecastOf(change) ?? runForecastOf(change) ?? tickForecastOf(change);
      return {
        kind: change.kind,
        ...(change.namespace === undefined ? {} : { namespace: change.namespace }),
        name: change.name,
        action: change.action,
        ...(change.goesBack ? { goesBack: true } : {}),
        ...(change.plan === undefined ? {} : { plan: change.plan }),
        ...(change.stepsFrom === undefined ? {} : { stepsFrom: change.stepsFrom }),
        ...(forecast === undefined ? {} : { forecast }),
      };
    }),
    files,
    diagnostics: compiled.diagnostics.map(diagnosticJson),
  };
  return forJson(document);
}

/** `-o yaml`: the plans, one document each. */
export function yamlPlans(compiled: Compiled): string {
  return compiled.changes.flatMap(({ plan }) => (plan === undefined ? [] : [planFile(plan)])).join('---\n');
}

/** `-o markdown`: one page, for example as a comment on a pull request. Includes the forecasts if they are few. */
export function markdownPlan(compiled: Compiled): string {
  const warningsOf = (change: Change): readonly Diagnostic[] => compiled.byTarget.get(change.id) ?? [];
  const planned = compiled.changes.filter(({ plan }) => plan !== undefined);
  const forecasts = planned.length > MOST_FORECASTS ? [] : planned;
  return [
    summaryMarkdown(compiled.changes, warningsOf),
    ...forecasts.map((change) =>
      forecastMarkdown(change, warningsOf(change), compiled.plansAtBase.get(change.id)?.plan).replace(
        /^# /,
        '## ',
      ),
    ),
  ].join('\n');
}
