import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { createViewers } from './viewer.ts';

/** What runs at a time. */
export interface PageSnapshot {
  /** The namespaces of what there is; '': that of what has none. */
  namespaces: readonly string[];
  /** The page, with what is in these namespaces. `isCut`: of further ones it is not known whether the reader may see them. */
  render(visible: ReadonlySet<string>, isCut: boolean): string;
}

/** Reads what runs, of one namespace or of all. It writes nothing. */
export type ReadSnapshot = (cluster: Cluster, namespace: string | undefined) => Promise<PageSnapshot>;

/** Answers a request. `search`: of its address, what begins with the question mark. */
export type Page = (headers: IncomingHttpHeaders, search: string) => Promise<PageAnswer>;

export interface PageOptions {
  cluster: Cluster;
  clock: Clock;
  /** The one namespace that is managed; undefined: all. */
  namespace: string | undefined;
  /** Where the port listens. */
  address: string;
  read: ReadSnapshot;
  /** Called with each failure: the answer does not say more than its kind. */
  onError(error: unknown): void;
}

export interface PageAnswer {
  code: number;
  /** HTML with 200, otherwise one line. */
  text: string;
  headers?: Readonly<Record<string, string>>;
}

/** How long what was read is shown, milliseconds: bounds the cost of a flood. */
const READ_MS = 2_000;
/** The most requests that are answered at a time. */
const AT_ONCE = 8;
/** Longer tokens are none of Kubernetes. */
const LONGEST_TOKEN = 8 * 1024;
/** More than a namespace of 63 characters needs. */
const LONGEST_SEARCH = 256;

/**
 * Answers requests for the page of what runs now. On a loopback address everybody on this machine may read it; a name that is not
 * that of the machine is refused, so that no web site reaches it through a browser. Elsewhere the bearer token says who reads, and the
 * page has the namespaces whose rollout plans they may list. `?namespace=` limits it to one.
 */
export function createPage(options: PageOptions): Page {
  const { cluster, clock, namespace, address } = options;
  const viewerOf = createViewers({ cluster, clock });
  const isOpen = isLoopback(address);
  let snapshot: { at: number; read: Promise<PageSnapshot> } | undefined;
  let busy = 0;

  function read(): Promise<PageSnapshot> {
    const now = clock.monotonic();
    if (snapshot === undefined || now - snapshot.at >= READ_MS) {
      const begun = { at: now, read: options.read(cluster, namespace) };
      snapshot = begun;
      begun.read.catch(() => {
        if (snapshot === begun) snapshot = undefined;
      });
    }
    return snapshot.read;
  }

  async function open({ host = '' }: IncomingHttpHeaders, one: string | undefined): Promise<PageAnswer> {
    if (!isLoopback(host.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1')))
      return { code: 403, text: 'this page is for this machine: ask for localhost' };
    const { namespaces, render } = await read();
    return { code: 200, text: render(new Set(only(one, namespaces)), false) };
  }

  async function guarded(
    { authorization = '' }: IncomingHttpHeaders,
    one: string | undefined,
  ): Promise<PageAnswer> {
    const [, token] = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization.slice(0, LONGEST_TOKEN)) ?? [];
    const viewer = token === undefined ? undefined : await viewerOf(token);
    if (viewer === undefined)
      return {
        code: 401,
        text: 'a bearer token is needed that the API server accepts',
        headers: { 'www-authenticate': 'Bearer' },
      };
    const { namespaces, render } = await read();
    const { allowed, isCut } = await viewer.mayList(only(one, namespaces));
    return { code: 200, text: render(allowed, isCut) };
  }

  return async (headers, search) => {
    const one = namespaceIn(search);
    if (one === '') return { code: 400, text: 'ask for one namespace by its name: ?namespace=NAME' };
    if (busy >= AT_ONCE)
      return { code: 503, text: 'too many ask at a time', headers: { 'retry-after': '1' } };
    busy += 1;
    try {
      return await (isOpen ? open(headers, one) : guarded(headers, one));
    } catch (error) {
      options.onError(error);
      return { code: 503, text: reasonOf(error), headers: { 'retry-after': '5' } };
    } finally {
      busy -= 1;
    }
  };
}

/** The namespace that is asked for; undefined: all of them; '': what is no name of one. */
function namespaceIn(search: string): string | undefined {
  if (search.length > LONGEST_SEARCH) return '';
  const [name, ...more] = new URLSearchParams(search).getAll('namespace');
  if (name === undefined) return undefined;
  return more.length === 0 && /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? name : '';
}

/** Of a namespace without anything the server is not asked. */
function only(one: string | undefined, namespaces: readonly string[]): readonly string[] {
  return one === undefined ? namespaces : namespaces.filter((each) => each === one);
}

/** What a reader may know of a failure: not the message, which may name objects that they may not see. */
function reasonOf(error: unknown): string {
  return error instanceof ApiError && error.status.code === 403
    ? 'the runtime lacks a right for this page: see the log'
    : 'the API server did not answer';
}

/** Whether an address or name is of this machine alone. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}
