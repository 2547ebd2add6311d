// PageRank (Brin and Page 1998) in float on a network without a scale: what a sum over the links of each place costs beside a product of a
// sparse matrix and a vector (bench/links.sh). What pages without links would give is lost, so that ranks need not add up to 1.
#include <tessera/model.hpp>

struct Page {
    float rank = 0, part = 0, share = 0;
};
TESSERA_PLACE(Page, rank, part, share);
TESSERA_DOC(Page::part, "of its rank, what each page gets that it cites");
struct Cites {};
TESSERA_LINK(Cites, from<Page>::to<Page>);

TESSERA_PARAM(float, damping, 0.85f, range(0, 1), "how likely a reader goes on to a page that is cited");

TESSERA_CALL(Page, begin, around<out_links<Cites>>, writes<&Page::rank, &Page::part, &Page::share>) {
    const auto cited = self.count(out_links<Cites>);
    self.rank = 1.0f / static_cast<float>(self.size);
    self.part = cited > 0 ? 1.0f / static_cast<float>(cited) : 0.0f;
    self.share = self.rank * self.part;
}
TESSERA_CALL(Page, rank_again, around<in_links<Cites>, &Page::share>, reads<&Page::part>, writes<&Page::rank, &Page::share>) {
    self.rank = (1.0f - damping) / static_cast<float>(self.size) + damping * self.sum(in_links<Cites>, &Page::share);
    self.share = self.rank * self.part;
}
TESSERA_MODEL(pagerank, "how often a reader comes to a page who follows links");
TESSERA_DEFAULTS(R"toml(run.steps = 50
places.page.count = 1000000
links.cites = { generate = { rule = "preferential", degree = 16 } }
phase = [{ callAll = "page.begin", until = 1 }, { exchangeAll = "page" }, { callAll = "page.rank_again" }, { exchangeAll = "page" }]
output = [{ every = 10, csv = "ranks.csv", columns = { all = "sum(page.rank)", most = "max(page.rank)" } }])toml");
