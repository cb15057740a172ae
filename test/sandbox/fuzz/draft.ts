/** A request on its way to become bytes. */
export interface Draft {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  body: string;
}
