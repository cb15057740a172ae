import { cloneSet, type CloneSetParts, kruise } from './manifests.ts';

const forecastPath = '/repo/head/plans/shop/cloneset-web/forecast.md';

/** The output of a plan for one CloneSet: on the terminal, in forecast.md and on standard error. */
export async function outputOf(base: CloneSetParts, head: CloneSetParts, config?: string) {
  const { host } = await kruise({
    'base/web.yaml': cloneSet(base),
    'head/web.yaml': cloneSet(head),
    ...(config === undefined ? {} : { 'head/kruise.yaml': config }),
  });
  return { human: host.out, page: String(host.files.get(forecastPath)), err: host.err };
}
