import type { Check } from '../../schemas/generated/types/runtimeconfig.ts';
import { parseDuration } from '../../semantics/values/duration.ts';
import { judgeHttp, judgePrometheus } from './answer.ts';
import type { CheckJudgment } from './answer.ts';
import { argumentsRefusal } from './arguments.ts';
import type { GetAnswer } from './get.ts';
import { fillQuery, parseQuery } from './query.ts';
import { NAMESPACE } from './template.ts';
import type { Values } from './template.ts';
import { encode, fillUrl, parseUrl } from './url.ts';

/** How often a check is asked that does not say so. */
const defaultInterval = '30s';

/** An entry of the configuration, ready to be asked. */
export interface PreparedCheck {
  intervalMs: number;
  /** Failing answers in a row that fail the check. */
  failures: number;
  headers: Readonly<Record<string, string>>;
  /** The URL to ask for a plan's arguments, or why there is none, as a sentence. */
  urlFor(args: Readonly<Record<string, string>>, namespace: string): { url: string } | { refusal: string };
  judge(got: GetAnswer): CheckJudgment;
}

/** @param check one that `readRuntimeConfig` found nothing wrong with */
export function prepareCheck(check: Check): PreparedCheck {
  const { http, prometheus, pass = {} } = check;
  const asks = http === undefined ? prometheusAsks(prometheus) : fillsUrl(http.url);
  return {
    intervalMs: parseDuration(check.interval ?? defaultInterval) ?? bad(),
    failures: check.failures ?? 1,
    headers: http?.headers ?? {},
    urlFor(args, namespace) {
      const refusal = argumentsRefusal(check, args);
      if (refusal !== undefined) return { refusal };
      const url = asks(new Map([...Object.entries(args), [NAMESPACE, namespace]]));
      return 'url' in url ? url : { refusal: `${url.refusal} (check ${check.name})` };
    },
    judge: (got) => (http === undefined ? judgePrometheus(got, pass) : judgeHttp(got, http.json, pass)),
  };
}

type Asks = (values: Values) => { url: string } | { refusal: string };

function fillsUrl(url: string): Asks {
  const parsed = parseUrl(url);
  return 'problem' in parsed ? bad() : (values) => fillUrl(parsed.template, values);
}

function prometheusAsks(
  { address, query }: NonNullable<Check['prometheus']> = { address: '', query: '' },
): Asks {
  const parsed = parseUrl(address);
  const parsedQuery = parseQuery(query);
  if ('problem' in parsed || 'problem' in parsedQuery) return bad();
  const { scheme, host, port, path } = parsed.template;
  const text = [...host, port, ...path].filter((piece) => typeof piece === 'string').join('');
  const api = `${scheme}${text.replace(/\/+$/, '')}/api/v1/query?query=`;
  return (values) => {
    const filled = fillQuery(parsedQuery.pieces, values);
    return 'query' in filled ? { url: api + encode(filled.query) } : filled;
  };
}

function bad(): never {
  throw new Error('a check that readRuntimeConfig did not read');
}
