{% test k_anonymous(model, columns, k) %}
-- Rows that look alike in these columns, where they are fewer than k; missing values look alike.
select {{ columns | join(', ') }}, count(*) as people
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) < {{ k }}
{% endtest %}
