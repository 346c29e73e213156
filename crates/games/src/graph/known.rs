//! Lists that were read, by their names. Games read no files: whoever has a list puts it here, and the name of a variant
//! then names the list. The name has a checksum of the list, so a name never comes to mean another list.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use zermelo_core::{Complaint, Unpoisoned, quoted};

use super::GraphList;

/// Every list of this process that somebody holds.
static LISTS: Mutex<Option<HashMap<String, Weak<GraphList>>>> = Mutex::new(None);
/// Lists that are held to the end of the process.
static HELD: Mutex<Vec<Arc<GraphList>>> = Mutex::new(vec![]);

/// The lists that this process knows by name.
#[derive(Debug)]
pub struct GraphLists;

impl GraphLists {
    /// Makes a list known by its name for as long as the caller, or a game that was opened with it, holds it.
    pub fn share(list: GraphList) -> Arc<GraphList> {
        let mut lists = LISTS.lock().unpoisoned();
        let lists = lists.get_or_insert_default();
        lists.retain(|_, list| list.strong_count() > 0);
        if let Some(known) = lists.get(list.id()).and_then(Weak::upgrade) {
            return known;
        }
        let list = Arc::new(list);
        lists.insert(list.id().into(), Arc::downgrade(&list));
        list
    }

    /// Makes a list known by its name to the end of the process.
    pub fn keep(list: GraphList) -> Arc<GraphList> {
        let list = GraphLists::share(list);
        HELD.lock().unpoisoned().push(list.clone());
        list
    }

    /// The list of a name.
    pub fn find(id: &str) -> Result<Arc<GraphList>, Complaint> {
        let lists = LISTS.lock().unpoisoned();
        let known = lists.as_ref().and_then(|lists| lists.get(id)).and_then(Weak::upgrade);
        known.ok_or_else(|| {
            let why = "is not read here; name its file instead, as in graph:file=NAME";
            Complaint::new(format!("list {} {why}", quoted(id)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_known_as_long_as_somebody_holds_it() {
        let list = || GraphList::read("graph held\na x>b\nb lose").expect("a list");
        let held = GraphLists::share(list());
        let id = held.id().to_string();
        assert!(Arc::ptr_eq(&held, &GraphLists::share(list())));
        assert!(GraphLists::find(&id).is_ok());
        drop(held);
        assert!(GraphLists::find(&id).is_err());
        drop(GraphLists::keep(list()));
        assert!(GraphLists::find(&id).is_ok());
    }
}
