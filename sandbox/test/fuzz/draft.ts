/** A request before serialization. */
export interface Draft {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  body: string;
}
